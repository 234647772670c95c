// SPDX-License-Identifier: Apache-2.0

/// @file
/// Calls after which every rank has the same.

#include "espalier/plan/calls/calls.hpp"

#include "espalier/plan/calls/arguments.hpp"

namespace espalier::plan {
namespace {

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

}  // namespace

std::optional<std::int64_t>
AllgatherCall::bytes(CommunicatorFacts const& facts, NamedTypes& types) const {
  if (recvcount < 0 || recvtype == MPI_DATATYPE_NULL || recvbuf == MPI_IN_PLACE) {
    return std::nullopt;
  }
  TypeFacts const to = types.facts(recvtype);
  std::int64_t const block = product(recvcount, to.size_bytes);
  Part const received{recvbuf, to, product(block, facts.num_sources)};
  Part const result =
      to.is_gapless ? received : at_element(received, product(recvcount, facts.rank), recvtype);
  return gathered_bytes(*this, facts, types, received, result, block);
}

std::optional<std::int64_t>
AllgathervCall::bytes(CommunicatorFacts const& facts, NamedTypes& types) const {
  if (displs == nullptr || recvtype == MPI_DATATYPE_NULL || recvbuf == MPI_IN_PLACE) {
    return std::nullopt;
  }
  std::optional<std::int64_t> const total = total_of(recvcounts, facts.num_sources);
  if (!total) {
    return std::nullopt;
  }
  TypeFacts const to = types.facts(recvtype);
  Part const received{recvbuf, to, product(*total, to.size_bytes)};
  if (facts.is_intercommunicator) {
    return received.bytes;
  }
  std::int64_t const own = product(recvcounts[facts.rank], to.size_bytes);
  Part const result =
      hull_of(received, {recvcounts, displs, facts.num_ranks}, facts.rank, recvtype);
  return gathered_bytes(*this, facts, types, received, result, own);
}

std::optional<std::int64_t>
BcastCall::bytes(CommunicatorFacts const& facts, NamedTypes& types) const {
  if (facts.is_intercommunicator && root == MPI_PROC_NULL) {
    return 0;
  }
  bool const is_root_wrong = !facts.is_intercommunicator && !is_rank(root, facts.num_ranks);
  if (count < 0 || datatype == MPI_DATATYPE_NULL || is_root_wrong || buffer == MPI_IN_PLACE) {
    return std::nullopt;
  }
  TypeFacts const type = types.facts(datatype);
  Part const message{buffer, type, product(count, type.size_bytes)};
  return message.is_missing() ? std::nullopt : std::optional(message.bytes);
}

}  // namespace espalier::plan
