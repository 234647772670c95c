// SPDX-License-Identifier: Apache-2.0

/// @file
/// Calls that combine contributions.

#include "espalier/plan/calls/arguments.hpp"
#include "espalier/plan/calls/calls.hpp"
#include "espalier/plan/calls/operators.hpp"

namespace espalier::plan {
namespace {

/// Bytes of the vector that each rank contributes; none if the call is out of the ordinary.
/// @param has_result false: the receive buffer means nothing, and in place is not possible.
template <typename Call>
std::optional<std::int64_t>
vector_bytes(Call const& call, std::int64_t count, NamedTypes& types, bool has_result = true) {
  if (!is_operator(call.op)) {
    return std::nullopt;
  }
  if (!has_result) {
    auto const sent = part_of(call.sendbuf, count, call.datatype, types);
    return sent ? std::optional(sent->bytes) : std::nullopt;
  }
  auto const received = part_of(call.recvbuf, count, call.datatype, types);
  if (!received || call.is_in_place()) {
    return received ? std::optional(received->bytes) : std::nullopt;
  }
  Part const sent{call.sendbuf, received->type, received->bytes};
  bool const is_right = !sent.is_missing() && !meet(sent, *received);
  return is_right ? std::optional(sent.bytes) : std::nullopt;
}

/// The same where a rank receives `own_count` elements, maybe none, of the vector.
template <typename Call>
std::optional<std::int64_t>
scattered_bytes(Call const& call, std::int64_t count, std::int64_t own_count, NamedTypes& types) {
  if (!is_operator(call.op)) {
    return std::nullopt;
  }
  auto const received = part_of(call.recvbuf, own_count, call.datatype, types);
  if (!received) {
    return std::nullopt;
  }
  std::int64_t const bytes = product(count, received->type.size_bytes);
  Part const contributed{call.is_in_place() ? call.recvbuf : call.sendbuf, received->type, bytes};
  bool const is_right =
      !contributed.is_missing() && (call.is_in_place() || !meet(contributed, *received));
  return is_right ? std::optional(bytes) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t>
AllreduceCall::bytes(CommunicatorFacts const& facts, NamedTypes& types) const {
  return facts.is_intercommunicator ? 0 : vector_bytes(*this, count, types);
}

std::optional<std::int64_t>
ScanCall::bytes(CommunicatorFacts const& facts, NamedTypes& types) const {
  return facts.is_intercommunicator ? std::nullopt : vector_bytes(*this, count, types);
}

std::optional<std::int64_t>
ExscanCall::bytes(CommunicatorFacts const& facts, NamedTypes& types) const {
  // On rank 0 the receive buffer means nothing, but some libraries look at it.
  bool const has_result =
      facts.rank > 0 || is_in_place() || sendbuf == recvbuf || recvbuf == nullptr;
  return facts.is_intercommunicator ? std::nullopt : vector_bytes(*this, count, types, has_result);
}

std::optional<std::int64_t>
ReduceCall::bytes(CommunicatorFacts const& facts, NamedTypes& types) const {
  if (facts.is_intercommunicator) {
    return 0;
  }
  return is_rank(root, facts.num_ranks) ? vector_bytes(*this, count, types, facts.rank == root)
                                        : std::nullopt;
}

std::optional<std::int64_t>
ReduceScatterCall::bytes(CommunicatorFacts const& facts, NamedTypes& types) const {
  if (facts.is_intercommunicator) {
    return 0;
  }
  auto const total = total_of(recvcounts, facts.num_ranks);
  return total ? scattered_bytes(*this, *total, recvcounts[facts.rank], types) : std::nullopt;
}

std::optional<std::int64_t>
ReduceScatterBlockCall::bytes(CommunicatorFacts const& facts, NamedTypes& types) const {
  if (facts.is_intercommunicator) {
    return 0;
  }
  std::int64_t const total = product(recvcount < 0 ? 0 : recvcount, facts.num_ranks);
  return scattered_bytes(*this, total, recvcount, types);
}

}  // namespace espalier::plan
