// SPDX-License-Identifier: Apache-2.0

/// @file
/// What schedules share in which ranks hand over blocks of partial sums: where the sums are.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {

/// One step of a reduce-scatter: some partial sums go to one rank, which is responsible for them
/// from now on; others come from one rank and are combined with the rank's own.
struct Handover {
  int to = 0;
  int from = 0;
  std::vector<int> sent;  ///< block numbers, in the order in which they travel
  std::vector<int> kept;  ///< the same of what is received
};

/// One step in which the members of a group split what they are all responsible for.
struct Split {
  std::vector<int> members;            ///< in the order of their operands
  std::vector<std::vector<int>> kept;  ///< for each member the blocks it is left with
};

/// The partial sums of one rank for all output blocks. A sum is the contribution, in the output, as
/// long as nothing was combined with it, and in scratch from then on: the output is not written.
class PartialSums {
public:
  explicit PartialSums(schedule::Builder& builder);

  /// Messages and combination in the builder's round; operands come in any order. A block that is
  /// sent is not touched again.
  void exchange(Handover const& step);
  /// The same in a group of which the builder's rank is a member; operands keep their order.
  void exchange(Split const& step);
  /// Combines what a higher rank sends; operands keep their order if nothing was combined yet.
  void receive(int from, std::span<int const> blocks);
  void send(int to, std::span<int const> blocks);

  /// Each step in a round, the first in that of the builder, which is left in the round after the
  /// last.
  template <typename Step> void exchange_all(std::vector<Step> const& steps) {
    for (Step const& step : steps) {
      exchange(step);
      builder_.next_round();
    }
  }

  /// Writes the sums of these blocks to the output.
  void deliver(std::span<int const> blocks);

private:
  [[nodiscard]] std::vector<schedule::Slot> places(std::span<int const> blocks) const;
  [[nodiscard]] std::vector<int> contributions_among(std::span<int const> blocks) const;
  [[nodiscard]] std::vector<int> sums_among(std::span<int const> blocks) const;
  /// Scratch blocks to receive these; inbox is the place among concurrent messages.
  [[nodiscard]] std::vector<schedule::Slot> inbox(std::size_t number, std::span<int const> blocks);
  int new_scratch(int block);
  void copy_to_scratch(std::span<int const> blocks);
  /// A message comes out of one buffer: sums and contributions must not be mixed.
  void bring_together(std::span<int const> blocks);
  void combine(std::span<int const> blocks);
  void combine_in_order(std::span<int const> blocks, std::size_t own, std::size_t num_operands);

  schedule::Builder& builder_;
  std::vector<int> sum_;                 // scratch block of each sum; -1: the contribution itself
  std::vector<std::vector<int>> inbox_;  // scratch blocks that receive each block; -1: none yet
};

/// The allgather that runs a reduce-scatter backwards, on output blocks: what was handed over comes
/// back from there. Waits for everything sent before, since the output is written now.
void gather_back(schedule::Builder& builder, std::span<Handover const> steps);

/// Output blocks in this order, as few slots as possible.
[[nodiscard]] std::vector<schedule::Slot>
output_slots(schedule::Builder const& builder, std::span<int const> blocks);

/// first, first + stride, ..., modulo n.
[[nodiscard]] std::vector<int> comb(std::int64_t first, int num_blocks, int stride, int n);

}  // namespace espalier::algorithms
