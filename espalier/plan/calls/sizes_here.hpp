// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/plan/calls/communicator_facts.hpp"
#include "espalier/plan/calls/named_types.hpp"
#include "espalier/plan/calls/own_bytes.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::plan {

/// Bytes of one block for each rank, as far as this rank knows them in a call whose sizes not all
/// ranks know: what it sends to each in an alltoallv or alltoallw; all parts on the root of a
/// gatherv or scatterv, and zeros on other ranks.
/// @throws Error mpi.
template <typename Call>
  requires(profile::has_agreed_sizes(Call::call))
std::vector<std::int64_t>
sizes_known_here(Call const& call, CommunicatorFacts const& facts, NamedTypes& types) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(facts.num_ranks));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if constexpr (Call::call == profile::Call::alltoallw) {
      sizes[i] = call.is_in_place() ? bytes_of(call.recvcounts[i], call.recvtypes[i], types)
                                    : bytes_of(call.sendcounts[i], call.sendtypes[i], types);
    } else if constexpr (Call::call == profile::Call::alltoallv) {
      sizes[i] = call.is_in_place() ? bytes_of(call.recvcounts[i], call.recvtype, types)
                                    : bytes_of(call.sendcounts[i], call.sendtype, types);
    } else if constexpr (Call::call == profile::Call::gatherv) {
      sizes[i] = facts.rank == call.root ? bytes_of(call.recvcounts[i], call.recvtype, types) : 0;
    } else {
      sizes[i] = facts.rank == call.root ? bytes_of(call.sendcounts[i], call.sendtype, types) : 0;
    }
  }
  return sizes;
}

}  // namespace espalier::plan
