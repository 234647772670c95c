// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <mpi.h>

#include "espalier/plan/calls/communicator_facts.hpp"
#include "espalier/plan/calls/named_types.hpp"
#include "espalier/plan/calls/own_bytes.hpp"
#include "espalier/plan/calls/sizes_here.hpp"
#include "espalier/plan/settings/recorder.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::plan {

/// Whether parts of one call may have different sizes.
template <typename Call>
inline constexpr bool has_own_parts =
    profile::facts_of(Call::call).block_sizes == profile::BlockSizes::known_to_all ||
    profile::facts_of(Call::call).block_sizes == profile::BlockSizes::known_to_owners;

/// What this rank sends to each rank, or its own part; as own_bytes().
/// @throws Error mpi.
template <typename Call>
void put_own_parts(
    Call const& call, CommunicatorFacts const& facts, NamedTypes& types, PartSizes& parts
) {
  auto const own = static_cast<std::size_t>(facts.rank);
  if constexpr (Call::call == profile::Call::alltoallv || Call::call == profile::Call::alltoallw) {
    parts.bytes = sizes_known_here(call, facts, types);
    parts.received_bytes = 0;
    for (std::size_t i = 0; i < parts.bytes.size(); ++i) {
      if constexpr (Call::call == profile::Call::alltoallw) {
        parts.received_bytes += bytes_of(call.recvcounts[i], call.recvtypes[i], types);
      } else {
        parts.received_bytes += bytes_of(call.recvcounts[i], call.recvtype, types);
      }
    }
  } else if constexpr (Call::call == profile::Call::allgatherv) {
    parts.bytes.assign(1, bytes_of(call.recvcounts[own], call.recvtype, types));
  } else if constexpr (Call::call == profile::Call::reduce_scatter) {
    parts.bytes.assign(1, bytes_of(call.recvcounts[own], call.datatype, types));
  } else {
    parts.bytes.assign(1, own_bytes(call, facts, types));
  }
}

/// Keeps the parts of a call that was just counted, if its number is a power of two: the last such
/// call is not one of the start of a program, all ranks take the same one, and few are looked at.
/// @throws Error mpi.
template <typename Call>
void note_parts(
    Call const& call, CommunicatorFacts const& facts, NamedTypes& types, Recorder::Row& row
) {
  if (!std::has_single_bit(row.counter.count) || facts.is_intercommunicator ||
      facts.num_ranks > most_ranks_with_parts || row.manner == Manner::others()) {
    return;
  }
  if (row.parts == nullptr) {
    row.parts = std::make_unique<PartSizes>();
  }
  put_own_parts(call, facts, types, *row.parts);
  row.parts->call = row.counter.count;
}

}  // namespace espalier::plan
