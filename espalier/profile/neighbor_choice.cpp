// SPDX-License-Identifier: Apache-2.0

#include "espalier/profile/neighbor_choice.hpp"

#include "espalier/base/error.hpp"
#include "espalier/neighborhood/catalog.hpp"

namespace espalier::profile {

neighborhood::Algorithm const& parse_neighbor_choice(Call call, std::string_view text) {
  neighborhood::Algorithm const& algorithm = neighborhood::find(text);
  if (std::string const reason = refuses(call, algorithm); !reason.empty()) {
    throw Error(ErrorCode::argument, reason);
  }
  return algorithm;
}

std::string refuses(Call call, neighborhood::Algorithm const& algorithm) {
  if (algorithm.collective != neighbor_collective_of(call)) {
    return "expected an algorithm for " +
           std::string(neighborhood::to_string(neighbor_collective_of(call))) + ", got '" +
           neighborhood::full_name(algorithm) + "'";
  }
  if (algorithm.forwards && facts_of(call).block_sizes != BlockSizes::equal) {
    return neighborhood::full_name(algorithm) +
           " forwards blocks, whose sizes only their ends know";
  }
  return {};
}

}  // namespace espalier::profile
