// SPDX-License-Identifier: Apache-2.0

/// @file
/// Alltoall in its three forms.

#include "espalier/plan/arguments.hpp"
#include "espalier/plan/calls.hpp"

namespace espalier::plan {
namespace {

/// One side of an alltoallw. None if something is wrong with it.
/// @return bytes of the block for this rank itself.
std::optional<std::int64_t> typed_side(
    void const* address,
    int const* counts,
    int const* displacements,
    MPI_Datatype const* block_types,
    Place const& place,
    NamedTypes& types
) {
  if (address == MPI_IN_PLACE || counts == nullptr || displacements == nullptr ||
      block_types == nullptr) {
    return std::nullopt;
  }
  std::int64_t own = 0;
  for (int i = 0; i < place.num_ranks; ++i) {
    auto const block = part_of(address, counts[i], block_types[i], types);
    if (!block) {
      return std::nullopt;
    }
    own = i == place.rank ? block->bytes : own;
  }
  return own;
}

}  // namespace

std::optional<std::int64_t> AlltoallCall::bytes(Place const& place, NamedTypes& types) const {
  if (place.is_intercommunicator) {
    return 0;
  }
  auto const received = part_of(recvbuf, recvcount, recvtype, types);
  if (!received) {
    return std::nullopt;
  }
  if (!is_in_place()) {
    auto const sent = part_of(sendbuf, sendcount, sendtype, types);
    if (!sent || sent->bytes != received->bytes || is_aliased(*sent, *received)) {
      return std::nullopt;
    }
  }
  return product(received->bytes, place.num_ranks);
}

std::optional<std::int64_t> AlltoallvCall::bytes(Place const& place, NamedTypes& types) const {
  if (place.is_intercommunicator) {
    return 0;
  }
  auto const total = total_of(recvcounts, place.num_ranks);
  auto const received = total ? part_of(recvbuf, *total, recvtype, types) : std::nullopt;
  if (!received || rdispls == nullptr) {
    return std::nullopt;
  }
  if (!is_in_place()) {
    auto const total_sent = total_of(sendcounts, place.num_ranks);
    auto const sent = total_sent ? part_of(sendbuf, *total_sent, sendtype, types) : std::nullopt;
    if (!sent || sdispls == nullptr ||
        product(sendcounts[place.rank], sent->type.size_bytes) !=
            product(recvcounts[place.rank], received->type.size_bytes)) {
      return std::nullopt;
    }
  }
  return 0;
}

std::optional<std::int64_t> AlltoallwCall::bytes(Place const& place, NamedTypes& types) const {
  if (place.is_intercommunicator) {
    return 0;
  }
  auto const received = typed_side(recvbuf, recvcounts, rdispls, recvtypes, place, types);
  if (!received || is_in_place()) {
    return received ? std::optional<std::int64_t>(0) : std::nullopt;
  }
  auto const sent = typed_side(sendbuf, sendcounts, sdispls, sendtypes, place, types);
  return sent == received ? std::optional<std::int64_t>(0) : std::nullopt;
}

}  // namespace espalier::plan
