// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include <mpi.h>

#include "espalier/plan/calls/arguments.hpp"
#include "espalier/plan/calls/communicator_facts.hpp"
#include "espalier/plan/calls/named_types.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::plan {

/// @throws Error mpi.
inline std::int64_t bytes_of(std::int64_t count, MPI_Datatype type, NamedTypes& types) {
  return count == 0 ? 0 : product(count, types.facts(type).size_bytes);
}

/// Bytes that this rank sends in a call whose size not every rank knows, or gets from its root:
/// what statistics count of it. Its arguments are those that made a decision possible. 0 for all
/// other calls, and on intercommunicators.
/// @throws Error mpi.
template <typename Call>
std::int64_t own_bytes(Call const& call, CommunicatorFacts const& facts, NamedTypes& types) {
  if (facts.is_intercommunicator) {
    return 0;
  }
  std::int64_t bytes = 0;
  if constexpr (Call::call == profile::Call::alltoallw) {
    bool const is_in_place = call.is_in_place();
    for (int rank = 0; rank < facts.num_ranks; ++rank) {
      bytes += is_in_place ? bytes_of(call.recvcounts[rank], call.recvtypes[rank], types)
                           : bytes_of(call.sendcounts[rank], call.sendtypes[rank], types);
    }
  } else if constexpr (Call::call == profile::Call::alltoallv) {
    bool const is_in_place = call.is_in_place();
    auto const total = total_of(is_in_place ? call.recvcounts : call.sendcounts, facts.num_ranks);
    bytes = bytes_of(total.value_or(0), is_in_place ? call.recvtype : call.sendtype, types);
  } else if constexpr (Call::call == profile::Call::gatherv) {
    bytes = call.is_in_place() ? bytes_of(call.recvcounts[facts.rank], call.recvtype, types)
                               : bytes_of(call.sendcount, call.sendtype, types);
  } else if constexpr (Call::call == profile::Call::scatterv) {
    bytes = call.is_in_place() ? bytes_of(call.sendcounts[facts.rank], call.sendtype, types)
                               : bytes_of(call.recvcount, call.recvtype, types);
  }
  return bytes;
}

}  // namespace espalier::plan
