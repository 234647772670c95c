// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/profile/call_facts.hpp"
#include "espalier/profile/call_list.hpp"

namespace espalier::profile {

inline constexpr std::size_t num_calls = all_calls.size();

[[nodiscard]] constexpr std::size_t index_of(Call call) noexcept {
  return static_cast<std::size_t>(call);
}

[[nodiscard]] constexpr CallFacts const& facts_of(Call call) noexcept {
  return call_facts[index_of(call)];
}

/// `allgatherv`, as in profiles and settings.
[[nodiscard]] constexpr std::string_view to_string(Call call) noexcept {
  return facts_of(call).text;
}

/// `MPI_Allgatherv`.
[[nodiscard]] constexpr std::string_view function_name(Call call) noexcept {
  return facts_of(call).function;
}

/// The collective whose algorithms serve the call.
[[nodiscard]] constexpr algorithms::Collective collective_of(Call call) noexcept {
  return facts_of(call).collective;
}

/// False if rules cannot depend on the size of the result: a barrier has none, and of calls with
/// blocks of any size between two ranks no rank, or only the root, knows the whole.
[[nodiscard]] constexpr bool has_known_size(Call call) noexcept {
  BlockSizes const sizes = facts_of(call).block_sizes;
  return sizes == BlockSizes::equal || sizes == BlockSizes::known_to_all;
}

/// Empty if the choice can serve the call, otherwise the reason.
///
/// Beside Choice::refuses(): not every algorithm can have blocks of different sizes, and none can
/// forward blocks whose sizes the rank in between does not know.
[[nodiscard]] std::string
refuses(Call call, algorithms::Choice const& choice, int num_ranks, int root);

/// @throws Error argument with the valid names.
[[nodiscard]] Call parse_call(std::string_view text);

}  // namespace espalier::profile
