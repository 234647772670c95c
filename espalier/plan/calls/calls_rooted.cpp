// SPDX-License-Identifier: Apache-2.0

/// @file
/// Scatter and gather: the root has a part for each rank, other ranks have their own.

#include "espalier/plan/calls/arguments.hpp"
#include "espalier/plan/calls/calls.hpp"

namespace espalier::plan {
namespace {

/// True if what the root sends to itself is as large as it expects, and lies elsewhere.
bool agree(std::optional<Part> const& own, std::int64_t bytes, Part const& all) noexcept {
  return own && own->bytes == bytes && !meet(*own, all);
}

/// The blocks of all ranks; of a type with gaps, that of this rank.
Part all_of(Part block, std::int64_t count, MPI_Datatype type, CommunicatorFacts const& facts) {
  if (!block.type.is_gapless) {
    return at_element(block, product(count, facts.rank), type);
  }
  block.bytes = product(block.bytes, facts.num_ranks);
  return block;
}

std::optional<std::int64_t> times(int num_ranks, std::optional<Part> const& part) {
  return part ? std::optional(product(part->bytes, num_ranks)) : std::nullopt;
}

/// The parts at the root of a v-variant.
struct Parts {
  Part all;  ///< see hull_of()
  std::int64_t own_bytes = 0;
};

/// None if something about them is out of the ordinary.
std::optional<Parts> parts_of(
    void const* address,
    int const* counts,
    int const* displacements,
    MPI_Datatype type,
    CommunicatorFacts const& facts,
    NamedTypes& types
) {
  auto const total = total_of(counts, facts.num_ranks);
  if (!total || displacements == nullptr) {
    return std::nullopt;
  }
  auto const all = part_of(address, *total, type, types);
  if (!all) {
    return std::nullopt;
  }
  return Parts{
      hull_of(*all, {counts, displacements, facts.num_ranks}, facts.rank, type),
      product(counts[facts.rank], all->type.size_bytes),
  };
}

std::optional<std::int64_t> nothing_if(bool is_right) {
  return is_right ? std::optional<std::int64_t>(0) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t>
GatherCall::bytes(CommunicatorFacts const& facts, NamedTypes& types) const {
  if (facts.is_intercommunicator) {
    return 0;
  }
  if (!is_rank(root, facts.num_ranks)) {
    return std::nullopt;
  }
  if (facts.rank != root) {
    return times(facts.num_ranks, part_of(sendbuf, sendcount, sendtype, types));
  }
  auto const block = part_of(recvbuf, recvcount, recvtype, types);
  bool const is_right = block && (is_in_place() || agree(
                                                       part_of(sendbuf, sendcount, sendtype, types),
                                                       block->bytes,
                                                       all_of(*block, recvcount, recvtype, facts)
                                                   ));
  return is_right ? times(facts.num_ranks, block) : std::nullopt;
}

std::optional<std::int64_t>
ScatterCall::bytes(CommunicatorFacts const& facts, NamedTypes& types) const {
  if (facts.is_intercommunicator) {
    return 0;
  }
  if (!is_rank(root, facts.num_ranks)) {
    return std::nullopt;
  }
  if (facts.rank != root) {
    return times(facts.num_ranks, part_of(recvbuf, recvcount, recvtype, types));
  }
  auto const block = part_of(sendbuf, sendcount, sendtype, types);
  bool const is_right = block && (is_in_place() || agree(
                                                       part_of(recvbuf, recvcount, recvtype, types),
                                                       block->bytes,
                                                       all_of(*block, sendcount, sendtype, facts)
                                                   ));
  return is_right ? times(facts.num_ranks, block) : std::nullopt;
}

std::optional<std::int64_t>
GathervCall::bytes(CommunicatorFacts const& facts, NamedTypes& types) const {
  if (facts.is_intercommunicator) {
    return 0;
  }
  if (!is_rank(root, facts.num_ranks)) {
    return std::nullopt;
  }
  if (facts.rank != root) {
    return nothing_if(part_of(sendbuf, sendcount, sendtype, types).has_value());
  }
  auto const parts = parts_of(recvbuf, recvcounts, displs, recvtype, facts, types);
  return nothing_if(
      parts && (is_in_place() ||
                agree(part_of(sendbuf, sendcount, sendtype, types), parts->own_bytes, parts->all))
  );
}

std::optional<std::int64_t>
ScattervCall::bytes(CommunicatorFacts const& facts, NamedTypes& types) const {
  if (facts.is_intercommunicator) {
    return 0;
  }
  if (!is_rank(root, facts.num_ranks)) {
    return std::nullopt;
  }
  if (facts.rank != root) {
    return nothing_if(part_of(recvbuf, recvcount, recvtype, types).has_value());
  }
  auto const parts = parts_of(sendbuf, sendcounts, displs, sendtype, facts, types);
  return nothing_if(
      parts && (is_in_place() ||
                agree(part_of(recvbuf, recvcount, recvtype, types), parts->own_bytes, parts->all))
  );
}

}  // namespace espalier::plan
