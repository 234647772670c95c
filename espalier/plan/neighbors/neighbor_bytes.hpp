// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "espalier/plan/calls/own_bytes.hpp"
#include "espalier/plan/neighbors/neighbor_calls.hpp"
#include "espalier/plan/neighbors/neighbors.hpp"

namespace espalier::plan {

/// Bytes that this rank sends to its neighbours in a call, those that are absent left out.
/// @param destinations  the neighbours in the order of the communicator; absent ones are negative
/// @throws Error mpi.
template <AnyNeighborCall Call>
std::int64_t sent_bytes(Call const& call, std::span<int const> destinations, NamedTypes& types) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    if (destinations[i] < 0) {
      continue;
    }
    if constexpr (requires { call.sendtypes; }) {
      bytes += bytes_of(call.sendcounts[i], call.sendtypes[i], types);
    } else if constexpr (requires { call.sendcounts; }) {
      bytes += bytes_of(call.sendcounts[i], call.sendtype, types);
    } else {
      bytes += bytes_of(call.sendcount, call.sendtype, types);
    }
  }
  return bytes;
}

/// Bytes of a block between two neighbours, as rules have them: of the larger one of those that
/// this rank sends and receives. 0 of calls with blocks of many sizes.
///
/// By the standard, what a rank sends is as large as what any other one receives. So all blocks of
/// three ranks and more are equal, but two ranks may send each other blocks of different sizes; the
/// larger one is the same on both. On a grid, ranks without neighbours name the size of all, too.
/// @throws Error mpi.
template <AnyNeighborCall Call>
std::int64_t block_bytes(Call const& call, Neighbors const& neighbors, NamedTypes& types) {
  std::int64_t bytes = 0;
  if constexpr (has_equal_blocks(Call::neighbor_call)) {
    bool const all_know_size = neighbors.have_common_order();
    if (all_know_size || neighbors.sends()) {
      bytes = bytes_of(call.sendcount, call.sendtype, types);
    }
    if (all_know_size || neighbors.receives()) {
      bytes = std::max(bytes, bytes_of(call.recvcount, call.recvtype, types));
    }
  }
  return bytes;
}

}  // namespace espalier::plan
