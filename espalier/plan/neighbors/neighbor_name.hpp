// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "espalier/neighborhood/algorithm.hpp"
#include "espalier/plan/neighbors/neighbor_list.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::plan {

inline constexpr std::size_t num_neighbor_calls = all_neighbor_calls.size();

[[nodiscard]] constexpr std::size_t index_of(NeighborCall call) noexcept {
  return static_cast<std::size_t>(call);
}

[[nodiscard]] constexpr NeighborFacts const& facts_of(NeighborCall call) noexcept {
  return neighbor_facts[index_of(call)];
}

/// `neighbor_alltoallv`, as in settings.
[[nodiscard]] constexpr std::string_view to_string(NeighborCall call) noexcept {
  return facts_of(call).text;
}

/// `MPI_Neighbor_alltoallv`.
[[nodiscard]] constexpr std::string_view function_name(NeighborCall call) noexcept {
  return facts_of(call).function;
}

/// The same call as rules name it.
[[nodiscard]] constexpr profile::Call rule_call(NeighborCall call) noexcept {
  return profile::neighbor_calls[index_of(call)];
}

/// None if the text names no such call.
[[nodiscard]] std::optional<NeighborCall> parse_neighbor_call(std::string_view text) noexcept;

/// The collective whose algorithms serve the call.
[[nodiscard]] constexpr neighborhood::Collective collective_of(NeighborCall call) noexcept {
  return facts_of(call).collective;
}

/// True if all blocks have one size on all ranks, so that ranks in between know it.
[[nodiscard]] constexpr bool has_equal_blocks(NeighborCall call) noexcept {
  return facts_of(call).block_sizes == profile::BlockSizes::equal;
}

}  // namespace espalier::plan
