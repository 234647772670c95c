// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "espalier/schedule/collective.hpp"
#include "espalier/schedule/program.hpp"
#include "espalier/schedule/synchronization.hpp"

namespace espalier::verify {

using schedule::Collective;
using schedule::OperandOrder;

/// What any exchange of blocks promises, block by block, for all ranks: values at the start and
/// values at the end, numbered as the exchange likes; -1 for blocks that nothing may touch.
struct Exchange {
  std::vector<std::vector<std::int32_t>> inputs;   ///< [rank][input block]
  std::vector<std::vector<std::int32_t>> outputs;  ///< [rank][output block]
  std::int32_t num_values = 0;
};

/// What stands in the buffers at the start, and what must stand there at the end; see
/// schedule::Collective.
struct Contract {
  Collective collective = Collective::allgather;
  int num_ranks = 1;
  int root = 0;  ///< 0 where the collective has none
  /// True: what a rank contributes stands in its output. False: in its input, which then has one
  /// block for each contributed one. Alltoall always reads its input; bcast and barrier have none.
  bool is_in_place = true;
  /// All blocks have the same size, whatever their labels say.
  bool has_equal_blocks = false;
  /// Reductions: what the operands' order must be. With `any` the operator is commutative.
  OperandOrder order = OperandOrder::any;
  /// Not null: what is moved, instead of what the collective says, which then is alltoall. Ranks
  /// may have different numbers of blocks, and labels stand for sizes only.
  Exchange const* exchange = nullptr;
  /// One-sided schedules: when buffers may be touched.
  schedule::Synchronization synchronization{};

  [[nodiscard]] bool has_input() const noexcept;

  [[nodiscard]] bool reduces() const noexcept { return schedule::reduces(collective); }

  /// Blocks that have a value in the output, or in the input, before the first operation.
  [[nodiscard]] schedule::BlockRun contributed(schedule::Frame const& frame, int rank) const;
  /// Output blocks for which the collective promises a value at the end.
  [[nodiscard]] schedule::BlockRun promised(schedule::Frame const& frame, int rank) const;
  /// Whether a block has a value before the first operation.
  [[nodiscard]] bool
  holds_at_start(schedule::Frame const& frame, int rank, schedule::Buffer buffer, int block) const;
  /// Whether an output block is memory that this rank has.
  [[nodiscard]] bool exists(schedule::Frame const& frame, int rank, int output_block) const;
  /// Where nothing is reduced: the value that a block has before the first operation, if it has
  /// one, and the one that an output block must have after the last; -1: none.
  [[nodiscard]] std::int32_t
  value_at_start(schedule::Frame const& frame, int rank, schedule::Buffer buffer, int block) const;
  [[nodiscard]] std::int32_t
  promised_value(schedule::Frame const& frame, int rank, int output_block) const;
  /// Numbers of such values are below this.
  [[nodiscard]] std::int64_t num_values(schedule::Frame const& frame) const noexcept;
  /// Ranks whose contributions are in a result of this rank: 0 .. this - 1. Reductions only.
  [[nodiscard]] int num_operands(int rank) const noexcept;

  /// @throws Error argument if num_ranks or root is out of range, or an exchange is of other ranks.
  void check() const;
};

}  // namespace espalier::verify
