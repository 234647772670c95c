// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "espalier/plan/calls/own_bytes.hpp"
#include "espalier/plan/neighbors/neighbor_calls.hpp"

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

/// Bytes of a block between two neighbours, as rules have them: of one that this rank sends, or if
/// it sends none, of one that it receives. 0 of calls with blocks of many sizes.
/// @throws Error mpi.
template <AnyNeighborCall Call>
std::int64_t block_bytes(Call const& call, bool sends, NamedTypes& types) {
  if constexpr (has_equal_blocks(Call::neighbor_call)) {
    return sends ? bytes_of(call.sendcount, call.sendtype, types)
                 : bytes_of(call.recvcount, call.recvtype, types);
  }
  return 0;
}

}  // namespace espalier::plan
