// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/neighbors/neighbor_name.hpp"

#include <algorithm>

namespace espalier::plan {

std::optional<NeighborCall> parse_neighbor_call(std::string_view text) noexcept {
  auto const* const found = std::ranges::find(all_neighbor_calls, text, [](NeighborCall call) {
    return to_string(call);
  });
  return found == all_neighbor_calls.end() ? std::nullopt : std::optional(*found);
}

}  // namespace espalier::plan
