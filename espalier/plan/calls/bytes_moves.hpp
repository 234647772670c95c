// SPDX-License-Identifier: Apache-2.0

/// @file
/// How large the result is of calls after which every rank has the same.

#pragma once

#include <cstdint>
#include <optional>

#include <mpi.h>

#include "espalier/plan/calls/arguments.hpp"
#include "espalier/plan/calls/communicator_facts.hpp"
#include "espalier/plan/calls/named_types.hpp"

namespace espalier::plan {

/// Bytes of a gathered result, none if the call is out of the ordinary. `received`: all blocks;
/// `result`: where they lie; `own_bytes`: what this rank has to send.
template <typename Call>
std::optional<std::int64_t> gathered_bytes(
    Call const& call,
    CommunicatorFacts const& facts,
    NamedTypes& types,
    Part const& received,
    Part const& result,
    std::int64_t own_bytes
) {
  if (facts.is_intercommunicator) {
    return received.bytes;
  }
  if (received.is_missing()) {
    return std::nullopt;
  }
  if (call.is_in_place()) {
    return received.bytes;
  }
  if (call.sendcount < 0 || call.sendtype == MPI_DATATYPE_NULL) {
    return std::nullopt;
  }
  bool const is_same = call.sendtype == call.recvtype;
  TypeFacts const from = is_same ? received.type : types.facts(call.sendtype);
  Part const sent{call.sendbuf, from, product(call.sendcount, from.size_bytes)};
  bool const fits = sent.bytes == own_bytes && !sent.is_missing() && !meet(sent, result);
  return fits ? std::optional(received.bytes) : std::nullopt;
}

template <typename Call>
std::optional<std::int64_t>
gathered_blocks_bytes(Call const& call, CommunicatorFacts const& facts, NamedTypes& types) {
  if (call.recvcount < 0 || call.recvtype == MPI_DATATYPE_NULL || call.recvbuf == MPI_IN_PLACE) {
    return std::nullopt;
  }
  TypeFacts const to = types.facts(call.recvtype);
  std::int64_t const block = product(call.recvcount, to.size_bytes);
  Part const received{call.recvbuf, to, product(block, facts.num_sources)};
  Part const result =
      to.is_gapless ? received
                    : at_element(received, product(call.recvcount, facts.rank), call.recvtype);
  return gathered_bytes(call, facts, types, received, result, block);
}

template <typename Call>
std::optional<std::int64_t>
gathered_parts_bytes(Call const& call, CommunicatorFacts const& facts, NamedTypes& types) {
  if (call.displs == nullptr || call.recvtype == MPI_DATATYPE_NULL ||
      call.recvbuf == MPI_IN_PLACE) {
    return std::nullopt;
  }
  std::optional<std::int64_t> const total = total_of(call.recvcounts, facts.num_sources);
  if (!total) {
    return std::nullopt;
  }
  TypeFacts const to = types.facts(call.recvtype);
  Part const received{call.recvbuf, to, product(*total, to.size_bytes)};
  if (facts.is_intercommunicator) {
    return received.bytes;
  }
  std::int64_t const own = product(call.recvcounts[facts.rank], to.size_bytes);
  Part const result =
      hull_of(received, {call.recvcounts, call.displs, facts.num_ranks}, facts.rank, call.recvtype);
  return gathered_bytes(call, facts, types, received, result, own);
}

template <typename Call>
std::optional<std::int64_t>
message_bytes(Call const& call, CommunicatorFacts const& facts, NamedTypes& types) {
  if (facts.is_intercommunicator && call.root == MPI_PROC_NULL) {
    return 0;
  }
  bool const is_root_wrong = !facts.is_intercommunicator && !is_rank(call.root, facts.num_ranks);
  if (call.count < 0 || call.datatype == MPI_DATATYPE_NULL || is_root_wrong ||
      call.buffer == MPI_IN_PLACE) {
    return std::nullopt;
  }
  TypeFacts const type = types.facts(call.datatype);
  Part const message{call.buffer, type, product(call.count, type.size_bytes)};
  return message.is_missing() ? std::nullopt : std::optional(message.bytes);
}

}  // namespace espalier::plan
