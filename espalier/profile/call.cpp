// SPDX-License-Identifier: Apache-2.0

#include "espalier/profile/call.hpp"

#include <string>

#include "espalier/base/error.hpp"
#include "espalier/base/names.hpp"

namespace espalier::profile {
std::string refuses(Call call, algorithms::Choice const& choice, int num_ranks, int root) {
  if (choice.collective() != collective_of(call)) {
    return "expected an algorithm for " + std::string(to_string(collective_of(call))) + ", got '" +
           choice.text() + "'";
  }
  if (std::string reason = choice.refuses(num_ranks, root); !reason.empty()) {
    return reason;
  }
  BlockSizes const sizes = facts_of(call).block_sizes;
  bool const has_secret_sizes = sizes == BlockSizes::known_to_owners;
  bool const has_uneven_blocks = has_secret_sizes || sizes == BlockSizes::known_to_all;
  if (has_uneven_blocks && choice.algorithm().equal_blocks_only) {
    return choice.text() + " needs blocks of one size, " + std::string(function_name(call)) +
           " may have others";
  }
  if (has_uneven_blocks && choice.has_native_calls()) {
    return choice.text() + " has native phases, which need blocks of one size, " +
           std::string(function_name(call)) + " may have others";
  }
  if (has_secret_sizes && choice.facts(num_ranks, root).scratch > 0) {
    return choice.text() + " keeps blocks of others, whose sizes are not known in " +
           std::string(function_name(call));
  }
  return {};
}

Call parse_call(std::string_view text) {
  auto const name_of = [](Call call) { return to_string(call); };
  if (auto const found = find_named(all_calls, text, name_of)) {
    return *found;
  }
  throw Error(
      ErrorCode::argument,
      "expected a collective (" + list_names(all_calls, name_of) + "), got '" + std::string(text) +
          "'"
  );
}

}  // namespace espalier::profile
