// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/calls.hpp"

#include <limits>

namespace espalier::plan {
namespace {

/// Product of two numbers >= 0; the largest number if it does not fit, on every rank alike.
std::int64_t product(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::int64_t>::max() : result;
}

/// A part of memory that holds `bytes` of data.
struct Part {
  void const* address;
  TypeFacts type;
  std::int64_t bytes;

  /// An address of 0 is right only for types that hold absolute addresses.
  [[nodiscard]] bool is_missing() const noexcept {
    return address == nullptr && type.is_gapless && bytes > 0;
  }
};

/// True if what a rank sends fits what is expected from it. All other ranks expect the same, so a
/// misfit is an error of the program, and the MPI library says so.
bool contributes(Part const& sent, Part const& received, std::int64_t expected_bytes) noexcept {
  bool const is_aliased = sent.address == received.address && sent.type.is_gapless &&
                          received.type.is_gapless && sent.bytes > 0;
  return sent.bytes == expected_bytes && !sent.is_missing() && !is_aliased;
}

/// Bytes of a gathered result, none if the call is wrong. `own_bytes`: what this rank has to send.
template <typename Call>
std::optional<std::int64_t> gathered_bytes(
    Call const& call,
    Place const& place,
    NamedTypes& types,
    Part const& received,
    std::int64_t own_bytes
) {
  if (place.is_intercommunicator) {
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
  return contributes(sent, received, own_bytes) ? std::optional(received.bytes) : std::nullopt;
}

/// Sum of the counts, none if one of them is negative.
std::optional<std::int64_t> total_of(int const* counts, int num_counts) noexcept {
  std::int64_t total = 0;
  for (int i = 0; i < num_counts; ++i) {
    if (counts[i] < 0) {
      return std::nullopt;
    }
    total += counts[i];
  }
  return total;
}

}  // namespace

std::optional<std::int64_t> AllgatherCall::bytes(Place const& place, NamedTypes& types) const {
  if (recvcount < 0 || recvtype == MPI_DATATYPE_NULL || recvbuf == MPI_IN_PLACE) {
    return std::nullopt;
  }
  TypeFacts const to = types.facts(recvtype);
  std::int64_t const block = product(recvcount, to.size_bytes);
  Part const received{recvbuf, to, product(block, place.num_sources)};
  return gathered_bytes(*this, place, types, received, block);
}

std::optional<std::int64_t> AllgathervCall::bytes(Place const& place, NamedTypes& types) const {
  if (recvcounts == nullptr || displs == nullptr || recvtype == MPI_DATATYPE_NULL ||
      recvbuf == MPI_IN_PLACE) {
    return std::nullopt;
  }
  std::optional<std::int64_t> const total = total_of(recvcounts, place.num_sources);
  if (!total) {
    return std::nullopt;
  }
  TypeFacts const to = types.facts(recvtype);
  Part const received{recvbuf, to, product(*total, to.size_bytes)};
  // Of an intercommunicator the counts are those of the other group, and nothing is asked of ours.
  std::int64_t const own =
      place.is_intercommunicator ? 0 : product(recvcounts[place.rank], to.size_bytes);
  return gathered_bytes(*this, place, types, received, own);
}

std::optional<std::int64_t> BcastCall::bytes(Place const& place, NamedTypes& types) const {
  if (place.is_intercommunicator && root == MPI_PROC_NULL) {
    return 0;
  }
  bool const is_root_wrong = !place.is_intercommunicator && (root < 0 || root >= place.num_ranks);
  if (count < 0 || datatype == MPI_DATATYPE_NULL || is_root_wrong || buffer == MPI_IN_PLACE) {
    return std::nullopt;
  }
  TypeFacts const type = types.facts(datatype);
  Part const message{buffer, type, product(count, type.size_bytes)};
  return message.is_missing() ? std::nullopt : std::optional(message.bytes);
}

}  // namespace espalier::plan
