// SPDX-License-Identifier: Apache-2.0

/// @file
/// Alltoall in its three forms.

#include <algorithm>
#include <functional>

#include "espalier/plan/calls/arguments.hpp"
#include "espalier/plan/calls/calls.hpp"

namespace espalier::plan {
namespace {

/// As many blocks as there are ranks.
Part all_of(Part block, CommunicatorFacts const& facts) noexcept {
  block.bytes = product(block.bytes, facts.num_ranks);
  return block;
}

/// One side of an alltoallw.
struct TypedSide {
  std::int64_t own_bytes = 0;               ///< of the block for this rank itself
  Part hull{.type = {.is_gapless = true}};  ///< of the blocks without gaps
};

/// `hull` with one more block. Addresses are not compared, which may be absolute.
void extend(Part& hull, Part const& block) noexcept {
  if (block.bytes == 0 || !block.type.is_gapless) {
    return;
  }
  if (hull.bytes == 0) {
    hull = block;
    return;
  }
  auto const* const begin = std::min(
      static_cast<char const*>(hull.address), static_cast<char const*>(block.address), std::less()
  );
  auto const* const end = std::max(
      static_cast<char const*>(hull.address) + hull.bytes,
      static_cast<char const*>(block.address) + block.bytes,
      std::less()
  );
  hull.address = begin;
  hull.bytes = end - begin;
}

/// None if something about it is out of the ordinary.
std::optional<TypedSide> typed_side(
    void const* address,
    int const* counts,
    int const* displacements,
    MPI_Datatype const* block_types,
    CommunicatorFacts const& facts,
    NamedTypes& types
) {
  if (address == MPI_IN_PLACE || counts == nullptr || displacements == nullptr ||
      block_types == nullptr) {
    return std::nullopt;
  }
  TypedSide side;
  for (int i = 0; i < facts.num_ranks; ++i) {
    auto block = part_of(address, counts[i], block_types[i], types);
    if (!block) {
      return std::nullopt;
    }
    block->address = static_cast<char const*>(address) + displacements[i];
    extend(side.hull, *block);
    side.own_bytes = i == facts.rank ? block->bytes : side.own_bytes;
  }
  return side;
}

}  // namespace

std::optional<std::int64_t>
AlltoallCall::bytes(CommunicatorFacts const& facts, NamedTypes& types) const {
  if (facts.is_intercommunicator) {
    return 0;
  }
  auto const received = part_of(recvbuf, recvcount, recvtype, types);
  if (!received) {
    return std::nullopt;
  }
  if (!is_in_place()) {
    auto const sent = part_of(sendbuf, sendcount, sendtype, types);
    if (!sent || sent->bytes != received->bytes ||
        meet(all_of(*sent, facts), all_of(*received, facts))) {
      return std::nullopt;
    }
  }
  return product(received->bytes, facts.num_ranks);
}

std::optional<std::int64_t>
AlltoallvCall::bytes(CommunicatorFacts const& facts, NamedTypes& types) const {
  if (facts.is_intercommunicator) {
    return 0;
  }
  auto const total = total_of(recvcounts, facts.num_ranks);
  auto const received = total ? part_of(recvbuf, *total, recvtype, types) : std::nullopt;
  if (!received || rdispls == nullptr) {
    return std::nullopt;
  }
  if (!is_in_place()) {
    auto const total_sent = total_of(sendcounts, facts.num_ranks);
    auto const sent = total_sent ? part_of(sendbuf, *total_sent, sendtype, types) : std::nullopt;
    if (!sent || sdispls == nullptr ||
        product(sendcounts[facts.rank], sent->type.size_bytes) !=
            product(recvcounts[facts.rank], received->type.size_bytes)) {
      return std::nullopt;
    }
    Part const from = hull_of(*sent, {sendcounts, sdispls, facts.num_ranks}, facts.rank, sendtype);
    if (meet(
            from, hull_of(*received, {recvcounts, rdispls, facts.num_ranks}, facts.rank, recvtype)
        )) {
      return std::nullopt;
    }
  }
  return 0;
}

std::optional<std::int64_t>
AlltoallwCall::bytes(CommunicatorFacts const& facts, NamedTypes& types) const {
  if (facts.is_intercommunicator) {
    return 0;
  }
  auto const received = typed_side(recvbuf, recvcounts, rdispls, recvtypes, facts, types);
  if (!received || is_in_place()) {
    return received ? std::optional<std::int64_t>(0) : std::nullopt;
  }
  auto const sent = typed_side(sendbuf, sendcounts, sdispls, sendtypes, facts, types);
  bool const is_regular =
      sent && sent->own_bytes == received->own_bytes && !meet(sent->hull, received->hull);
  return is_regular ? std::optional<std::int64_t>(0) : std::nullopt;
}

}  // namespace espalier::plan
