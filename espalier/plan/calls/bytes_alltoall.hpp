// SPDX-License-Identifier: Apache-2.0

/// @file
/// How large the result of an alltoall is, in its three forms.

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>

#include <mpi.h>

#include "espalier/plan/calls/arguments.hpp"
#include "espalier/plan/calls/communicator_facts.hpp"
#include "espalier/plan/calls/named_types.hpp"

namespace espalier::plan {

/// As many blocks as there are ranks.
inline Part all_of(Part block, CommunicatorFacts const& facts) noexcept {
  block.bytes = product(block.bytes, facts.num_ranks);
  return block;
}

/// What an alltoallw says of one side: displacements are in bytes.
struct BlocksOfTypes {
  void const* address = nullptr;
  exec::Integers counts{};
  exec::Integers displacements{};
  MPI_Datatype const* types = nullptr;

  [[nodiscard]] bool is_missing() const noexcept {
    return address == MPI_IN_PLACE || counts == nullptr || displacements == nullptr ||
           types == nullptr;
  }

  /// None if it cannot be right.
  [[nodiscard]] std::optional<Part> at(int rank, NamedTypes& known) const {
    auto block = part_of(address, counts[rank], types[rank], known);
    if (block) {
      block->address = static_cast<char const*>(address) + displacements[rank];
    }
    return block;
  }
};

/// One side of an alltoallw.
struct TypedSide {
  std::int64_t own_bytes = 0;               ///< of the block for this rank itself
  Part hull{.type = {.is_gapless = true}};  ///< of the blocks without gaps
};

/// `hull` with one more block. Addresses are not compared, which may be absolute.
inline void extend(Part& hull, Part const& block) noexcept {
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
inline std::optional<TypedSide>
typed_side(BlocksOfTypes const& blocks, CommunicatorFacts const& facts, NamedTypes& types) {
  if (blocks.is_missing()) {
    return std::nullopt;
  }
  TypedSide side;
  for (int i = 0; i < facts.num_ranks; ++i) {
    auto const block = blocks.at(i, types);
    if (!block) {
      return std::nullopt;
    }
    extend(side.hull, *block);
    side.own_bytes = i == facts.rank ? block->bytes : side.own_bytes;
  }
  return side;
}

template <typename Call>
std::optional<std::int64_t>
exchanged_blocks_bytes(Call const& call, CommunicatorFacts const& facts, NamedTypes& types) {
  if (facts.is_intercommunicator) {
    return 0;
  }
  auto const received = part_of(call.recvbuf, call.recvcount, call.recvtype, types);
  if (!received) {
    return std::nullopt;
  }
  if (!call.is_in_place()) {
    auto const sent = part_of(call.sendbuf, call.sendcount, call.sendtype, types);
    if (!sent || sent->bytes != received->bytes ||
        meet(all_of(*sent, facts), all_of(*received, facts))) {
      return std::nullopt;
    }
  }
  return product(received->bytes, facts.num_ranks);
}

/// True if blocks that are sent and received share memory, or may. `sent` and `received` have all
/// data of their side. For nearly all calls it is enough to look at the hulls.
template <typename Call>
bool blocks_meet(
    Call const& call, Part const& sent, Part const& received, CommunicatorFacts const& facts
) {
  BlockList const sources{call.sendcounts, call.sdispls, facts.num_ranks};
  BlockList const places{call.recvcounts, call.rdispls, facts.num_ranks};
  bool const do_hulls_meet = plan::meet(
      hull_of(sent, sources, facts.rank, call.sendtype),
      hull_of(received, places, facts.rank, call.recvtype)
  );
  if (!do_hulls_meet || !sent.type.is_gapless || !received.type.is_gapless) {
    return do_hulls_meet;
  }
  CoveredBytes covered;
  covered.add(sent, sources, true);
  covered.add(received, places, false);
  return covered.meet();
}

template <typename Call>
std::optional<std::int64_t>
exchanged_parts_bytes(Call const& call, CommunicatorFacts const& facts, NamedTypes& types) {
  if (facts.is_intercommunicator) {
    return 0;
  }
  auto const total = total_of(call.recvcounts, facts.num_ranks);
  auto const received = total ? part_of(call.recvbuf, *total, call.recvtype, types) : std::nullopt;
  if (!received || call.rdispls == nullptr) {
    return std::nullopt;
  }
  if (!call.is_in_place()) {
    auto const total_sent = total_of(call.sendcounts, facts.num_ranks);
    auto const sent =
        total_sent ? part_of(call.sendbuf, *total_sent, call.sendtype, types) : std::nullopt;
    if (!sent || call.sdispls == nullptr ||
        product(call.sendcounts[facts.rank], sent->type.size_bytes) !=
            product(call.recvcounts[facts.rank], received->type.size_bytes)) {
      return std::nullopt;
    }
    if (blocks_meet(call, *sent, *received, facts)) {
      return std::nullopt;
    }
  }
  return 0;
}

template <typename Call>
std::optional<std::int64_t>
exchanged_typed_parts_bytes(Call const& call, CommunicatorFacts const& facts, NamedTypes& types) {
  if (facts.is_intercommunicator) {
    return 0;
  }
  BlocksOfTypes const places{call.recvbuf, call.recvcounts, call.rdispls, call.recvtypes};
  auto const received = typed_side(places, facts, types);
  if (!received || call.is_in_place()) {
    return received ? std::optional<std::int64_t>(0) : std::nullopt;
  }
  BlocksOfTypes const sources{call.sendbuf, call.sendcounts, call.sdispls, call.sendtypes};
  auto const sent = typed_side(sources, facts, types);
  if (!sent || sent->own_bytes != received->own_bytes) {
    return std::nullopt;
  }
  if (!meet(sent->hull, received->hull)) {
    return 0;
  }
  CoveredBytes covered;
  for (int i = 0; i < facts.num_ranks; ++i) {
    covered.add(sources.at(i, types).value_or(Part{}), true);
    covered.add(places.at(i, types).value_or(Part{}), false);
  }
  return covered.meet() ? std::nullopt : std::optional<std::int64_t>(0);
}

}  // namespace espalier::plan
