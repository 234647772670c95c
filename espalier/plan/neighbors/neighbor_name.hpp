// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "espalier/neighborhood/algorithm.hpp"

namespace espalier::plan {

/// An MPI function for neighborhoods that settings speak of.
enum class NeighborCall : std::uint8_t { allgather, allgatherv, alltoall, alltoallv, alltoallw };

inline constexpr std::array all_neighbor_calls{
    NeighborCall::allgather,
    NeighborCall::allgatherv,
    NeighborCall::alltoall,
    NeighborCall::alltoallv,
    NeighborCall::alltoallw,
};
inline constexpr std::size_t num_neighbor_calls = all_neighbor_calls.size();

[[nodiscard]] constexpr std::size_t index_of(NeighborCall call) noexcept {
  return static_cast<std::size_t>(call);
}

/// `neighbor_alltoallv`, as in settings.
[[nodiscard]] std::string_view to_string(NeighborCall call) noexcept;
/// None if the text names no such call.
[[nodiscard]] std::optional<NeighborCall> parse_neighbor_call(std::string_view text) noexcept;

/// The collective whose algorithms serve the call.
[[nodiscard]] constexpr neighborhood::Collective collective_of(NeighborCall call) noexcept {
  bool const is_allgather = call == NeighborCall::allgather || call == NeighborCall::allgatherv;
  return is_allgather ? neighborhood::Collective::neighbor_allgather
                      : neighborhood::Collective::neighbor_alltoall;
}

/// True if all blocks have one size on all ranks, so that ranks in between know it.
[[nodiscard]] constexpr bool has_equal_blocks(NeighborCall call) noexcept {
  return call == NeighborCall::allgather || call == NeighborCall::alltoall;
}

}  // namespace espalier::plan
