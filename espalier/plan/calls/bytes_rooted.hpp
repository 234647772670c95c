// SPDX-License-Identifier: Apache-2.0

/// @file
/// How large the result of a scatter or gather is: the root has a part for each rank, other ranks
/// have their own.

#pragma once

#include <cstdint>
#include <optional>

#include <mpi.h>

#include "espalier/plan/calls/arguments.hpp"
#include "espalier/plan/calls/communicator_facts.hpp"
#include "espalier/plan/calls/named_types.hpp"

namespace espalier::plan {

/// True if what the root sends to itself is as large as it expects, and lies elsewhere.
inline bool agree(std::optional<Part> const& own, std::int64_t bytes, Part const& all) noexcept {
  return own && own->bytes == bytes && !meet(*own, all);
}

/// The blocks of all ranks; of a type with gaps, that of this rank.
inline Part
blocks_of_all(Part block, std::int64_t count, MPI_Datatype type, CommunicatorFacts const& facts) {
  if (!block.type.is_gapless) {
    return at_element(block, product(count, facts.rank), type);
  }
  block.bytes = product(block.bytes, facts.num_ranks);
  return block;
}

inline std::optional<std::int64_t> times(int num_ranks, std::optional<Part> const& part) {
  return part ? std::optional(product(part->bytes, num_ranks)) : std::nullopt;
}

/// The parts at the root of a v-variant.
struct Parts {
  Part all;  ///< see hull_of()
  std::int64_t own_bytes = 0;
};

/// None if something about them is out of the ordinary.
inline std::optional<Parts> parts_of(
    void const* address,
    exec::Integers counts,
    exec::Integers displacements,
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

inline std::optional<std::int64_t> nothing_if(bool is_right) {
  return is_right ? std::optional<std::int64_t>(0) : std::nullopt;
}

template <typename Call>
std::optional<std::int64_t>
blocks_to_root_bytes(Call const& call, CommunicatorFacts const& facts, NamedTypes& types) {
  if (facts.is_intercommunicator) {
    return 0;
  }
  if (!is_rank(call.root, facts.num_ranks)) {
    return std::nullopt;
  }
  if (facts.rank != call.root) {
    return times(facts.num_ranks, part_of(call.sendbuf, call.sendcount, call.sendtype, types));
  }
  auto const block = part_of(call.recvbuf, call.recvcount, call.recvtype, types);
  bool const is_right = block && (call.is_in_place() ||
                                  agree(
                                      part_of(call.sendbuf, call.sendcount, call.sendtype, types),
                                      block->bytes,
                                      blocks_of_all(*block, call.recvcount, call.recvtype, facts)
                                  ));
  return is_right ? times(facts.num_ranks, block) : std::nullopt;
}

template <typename Call>
std::optional<std::int64_t>
blocks_from_root_bytes(Call const& call, CommunicatorFacts const& facts, NamedTypes& types) {
  if (facts.is_intercommunicator) {
    return 0;
  }
  if (!is_rank(call.root, facts.num_ranks)) {
    return std::nullopt;
  }
  if (facts.rank != call.root) {
    return times(facts.num_ranks, part_of(call.recvbuf, call.recvcount, call.recvtype, types));
  }
  auto const block = part_of(call.sendbuf, call.sendcount, call.sendtype, types);
  bool const is_right = block && (call.is_in_place() ||
                                  agree(
                                      part_of(call.recvbuf, call.recvcount, call.recvtype, types),
                                      block->bytes,
                                      blocks_of_all(*block, call.sendcount, call.sendtype, facts)
                                  ));
  return is_right ? times(facts.num_ranks, block) : std::nullopt;
}

template <typename Call>
std::optional<std::int64_t>
parts_to_root_bytes(Call const& call, CommunicatorFacts const& facts, NamedTypes& types) {
  if (facts.is_intercommunicator) {
    return 0;
  }
  if (!is_rank(call.root, facts.num_ranks)) {
    return std::nullopt;
  }
  if (facts.rank != call.root) {
    return nothing_if(part_of(call.sendbuf, call.sendcount, call.sendtype, types).has_value());
  }
  auto const parts =
      parts_of(call.recvbuf, call.recvcounts, call.displs, call.recvtype, facts, types);
  return nothing_if(
      parts &&
      (call.is_in_place() ||
       agree(
           part_of(call.sendbuf, call.sendcount, call.sendtype, types), parts->own_bytes, parts->all
       ))
  );
}

template <typename Call>
std::optional<std::int64_t>
parts_from_root_bytes(Call const& call, CommunicatorFacts const& facts, NamedTypes& types) {
  if (facts.is_intercommunicator) {
    return 0;
  }
  if (!is_rank(call.root, facts.num_ranks)) {
    return std::nullopt;
  }
  if (facts.rank != call.root) {
    return nothing_if(part_of(call.recvbuf, call.recvcount, call.recvtype, types).has_value());
  }
  auto const parts =
      parts_of(call.sendbuf, call.sendcounts, call.displs, call.sendtype, facts, types);
  return nothing_if(
      parts &&
      (call.is_in_place() ||
       agree(
           part_of(call.recvbuf, call.recvcount, call.recvtype, types), parts->own_bytes, parts->all
       ))
  );
}

}  // namespace espalier::plan
