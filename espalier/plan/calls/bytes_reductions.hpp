// SPDX-License-Identifier: Apache-2.0

/// @file
/// How large the vector is in calls that combine contributions.

#pragma once

#include <cstdint>
#include <optional>

#include <mpi.h>

#include "espalier/plan/calls/arguments.hpp"
#include "espalier/plan/calls/communicator_facts.hpp"
#include "espalier/plan/calls/named_types.hpp"
#include "espalier/plan/calls/operators.hpp"

namespace espalier::plan {

/// Bytes of the vector that each rank contributes; none if the call is out of the ordinary.
/// @param has_result false: the receive buffer means nothing, and in place is not possible.
template <typename Call>
std::optional<std::int64_t>
contributed_bytes(Call const& call, std::int64_t count, NamedTypes& types, bool has_result = true) {
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

template <typename Call>
std::optional<std::int64_t>
vector_bytes(Call const& call, CommunicatorFacts const& facts, NamedTypes& types) {
  return facts.is_intercommunicator ? 0 : contributed_bytes(call, call.count, types);
}

template <typename Call>
std::optional<std::int64_t>
prefix_bytes(Call const& call, CommunicatorFacts const& facts, NamedTypes& types) {
  return facts.is_intercommunicator ? std::nullopt : contributed_bytes(call, call.count, types);
}

template <typename Call>
std::optional<std::int64_t>
prefix_after_first_bytes(Call const& call, CommunicatorFacts const& facts, NamedTypes& types) {
  // On rank 0 the receive buffer means nothing, but some libraries look at it.
  bool const has_result = facts.rank > 0 || call.is_in_place() || call.sendbuf == call.recvbuf ||
                          call.recvbuf == nullptr;
  return facts.is_intercommunicator ? std::nullopt
                                    : contributed_bytes(call, call.count, types, has_result);
}

template <typename Call>
std::optional<std::int64_t>
vector_to_root_bytes(Call const& call, CommunicatorFacts const& facts, NamedTypes& types) {
  if (facts.is_intercommunicator) {
    return 0;
  }
  return is_rank(call.root, facts.num_ranks)
             ? contributed_bytes(call, call.count, types, facts.rank == call.root)
             : std::nullopt;
}

template <typename Call>
std::optional<std::int64_t>
divided_parts_bytes(Call const& call, CommunicatorFacts const& facts, NamedTypes& types) {
  if (facts.is_intercommunicator) {
    return 0;
  }
  auto const total = total_of(call.recvcounts, facts.num_ranks);
  return total ? scattered_bytes(call, *total, call.recvcounts[facts.rank], types) : std::nullopt;
}

template <typename Call>
std::optional<std::int64_t>
divided_blocks_bytes(Call const& call, CommunicatorFacts const& facts, NamedTypes& types) {
  if (facts.is_intercommunicator) {
    return 0;
  }
  std::int64_t const total = product(call.recvcount < 0 ? 0 : call.recvcount, facts.num_ranks);
  return scattered_bytes(call, total, call.recvcount, types);
}

}  // namespace espalier::plan
