// SPDX-License-Identifier: Apache-2.0

/// @file
/// What one rank knows of the sizes in a call whose sizes not all ranks know.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/plan/calls/communicator_facts.hpp"
#include "espalier/plan/calls/named_types.hpp"
#include "espalier/plan/calls/own_bytes.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::plan {

/// Bytes that this rank sends to rank i in an alltoallv or alltoallw; on the root of a gatherv or
/// scatterv those of the part of rank i.
/// @throws Error mpi.
template <typename Call>
  requires(profile::has_agreed_sizes(Call::call))
std::int64_t size_for(int i, Call const& call, NamedTypes& types) {
  if constexpr (Call::call == profile::Call::alltoallw) {
    return call.is_in_place() ? bytes_of(call.recvcounts[i], call.recvtypes[i], types)
                              : bytes_of(call.sendcounts[i], call.sendtypes[i], types);
  } else if constexpr (Call::call == profile::Call::alltoallv) {
    return call.is_in_place() ? bytes_of(call.recvcounts[i], call.recvtype, types)
                              : bytes_of(call.sendcounts[i], call.sendtype, types);
  } else if constexpr (Call::call == profile::Call::gatherv) {
    return bytes_of(call.recvcounts[i], call.recvtype, types);
  } else {
    return bytes_of(call.sendcounts[i], call.sendtype, types);
  }
}

/// Bytes of one block for each rank, as far as this rank knows them: size_for() each rank, and
/// zeros on ranks that are not the root of a gatherv or scatterv.
/// @throws Error mpi.
template <typename Call>
  requires(profile::has_agreed_sizes(Call::call))
std::vector<std::int64_t>
sizes_known_here(Call const& call, CommunicatorFacts const& facts, NamedTypes& types) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(facts.num_ranks));
  if constexpr (requires { call.root; }) {
    if (facts.rank != call.root) {
      return sizes;
    }
  }
  for (int i = 0; i < facts.num_ranks; ++i) {
    sizes[static_cast<std::size_t>(i)] = size_for(i, call, types);
  }
  return sizes;
}

/// Calls visit(bytes) for each size that this rank has a say in. In an alltoallv or alltoallw these
/// are what it sends to each rank, and what it receives from each. In a gatherv or scatterv they
/// are the parts of all ranks on the root, and its own part on another rank.
/// @throws Error mpi, and what visit throws.
template <typename Call, typename Visit>
  requires(profile::has_agreed_sizes(Call::call))
void visit_own_sizes(
    Call const& call, CommunicatorFacts const& facts, NamedTypes& types, Visit&& visit
) {
  if constexpr (requires { call.root; }) {
    if (facts.rank != call.root) {
      visit(own_bytes(call, facts, types));
      return;
    }
  }
  for (int i = 0; i < facts.num_ranks; ++i) {
    visit(size_for(i, call, types));
  }
  if constexpr (Call::call == profile::Call::alltoallw) {
    for (int i = 0; i < facts.num_ranks; ++i) {
      visit(bytes_of(call.recvcounts[i], call.recvtypes[i], types));
    }
  } else if constexpr (Call::call == profile::Call::alltoallv) {
    for (int i = 0; i < facts.num_ranks; ++i) {
      visit(bytes_of(call.recvcounts[i], call.recvtype, types));
    }
  }
}

}  // namespace espalier::plan
