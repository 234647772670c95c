// SPDX-License-Identifier: Apache-2.0

/// @file
/// What each collective promises in terms of blocks: who contributes which, who ends with which.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace espalier::schedule {

/// The v- and w-variants of MPI are the same collective with other block sizes.
///
/// Collectives with a block for each rank have an output of n blocks in p parts of n / p; part i
/// belongs to rank i. The others cut one vector into any number of blocks.
enum class Collective : std::uint8_t {
  barrier,         ///< no blocks: nobody ends before everybody has begun
  bcast,           ///< start: the root holds all blocks; end: every rank does
  scatter,         ///< start: the root holds all parts; end: rank r holds part r
  gather,          ///< start: rank r holds part r; end: the root holds all parts
  reduce,          ///< start: each rank contributes to each block; end: the root holds all sums
  allreduce,       ///< start: the same; end: every rank holds all sums
  reduce_scatter,  ///< start: the same; end: rank r holds the sums of part r
  scan,            ///< start: the same; end: rank r holds the sums over ranks 0 .. r
  exscan,          ///< start: the same; end: rank r > 0 holds the sums over ranks 0 .. r - 1
  allgather,       ///< start: rank r holds part r; end: every rank holds all parts
  alltoall,        ///< input block j of rank i becomes output block i of rank j
};

/// In the order of the enumeration.
[[nodiscard]] std::span<Collective const> all_collectives() noexcept;
[[nodiscard]] std::string_view to_string(Collective collective) noexcept;
/// @throws Error argument with the valid names.
[[nodiscard]] Collective parse_collective(std::string_view text);

[[nodiscard]] bool has_root(Collective collective) noexcept;
/// True if contributions are combined by an operator.
[[nodiscard]] bool reduces(Collective collective) noexcept;
/// True if the output has a part for each rank.
[[nodiscard]] bool has_parts(Collective collective) noexcept;

/// Blocks begin .. begin + size - 1.
struct BlockRun {
  int begin = 0;
  int size = 0;

  [[nodiscard]] bool contains(int block) const noexcept {
    return block >= begin && block - begin < size;
  }
};

/// One rank in one collective.
struct Role {
  Collective collective = Collective::barrier;
  int num_ranks = 1;
  int rank = 0;
  int root = 0;  ///< 0 where the collective has none
};

/// Output blocks that a rank contributes: in place they hold its contribution at the start, and
/// a separate input has one block for each of them. Alltoall contributes its input, no output.
[[nodiscard]] BlockRun contributed(Role const& role, int num_output_blocks) noexcept;
/// Output blocks that have a promised value at the end.
[[nodiscard]] BlockRun promised(Role const& role, int num_output_blocks) noexcept;

/// What a schedule does to the order of operands, from the weakest promise to the strongest.
/// Association may change in the first two as MPI allows.
enum class OperandOrder : std::uint8_t {
  any,   ///< commutative operators only
  rank,  ///< operands in rank order: any operator
  left,  ///< ((0 op 1) op 2) op ...: the same bits as every other schedule with this promise
};

[[nodiscard]] std::string_view to_string(OperandOrder order) noexcept;

}  // namespace espalier::schedule
