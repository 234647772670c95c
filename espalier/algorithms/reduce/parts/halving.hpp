// SPDX-License-Identifier: Apache-2.0

/// @file
/// Who takes part in recursive halving of a vector in q pieces, q a power of two, and which pieces
/// are whose.

#pragma once

#include "espalier/base/integer.hpp"
#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/collective.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::algorithms {

/// The q ranks that go on after the first ranks met in pairs, numbered in rank order. The root is
/// one of them; otherwise the first one of a pair goes on.
class Survivors {
public:
  Survivors(int num_ranks, int root);

  /// The largest power of two up to num_ranks.
  [[nodiscard]] int size() const noexcept { return size_; }

  [[nodiscard]] int num_steps() const noexcept { return floor_log2(size_); }

  [[nodiscard]] int num_pairs() const noexcept { return num_pairs_; }

  [[nodiscard]] bool is_paired(int rank) const noexcept { return rank < 2 * num_pairs_; }

  [[nodiscard]] int rank_of(int number) const noexcept;
  /// That of the pair, for a rank that does not go on.
  [[nodiscard]] int number_of(int rank) const noexcept;

private:
  int root_;
  int size_;
  int num_pairs_;
};

/// Pieces that a rank is left with when it exchanged halves in steps 0 .. step, with the numbers
/// that differ in bit 0 .. step: the upper half where its number has a one. Step -1: all pieces.
[[nodiscard]] schedule::BlockRun kept_pieces(int num_pieces, int number, int step) noexcept;

/// Memory for consecutive pieces from `begin` on.
struct PieceLayout {
  schedule::Slot slot;
  int begin = 0;

  [[nodiscard]] schedule::Slot at(schedule::BlockRun run) const noexcept;
};

/// Appends recursive halving to the program of a rank that takes part: in the first round the pairs
/// meet, if there are any, and in each step partners at distance 1, 2, 4, ... exchange halves.
/// Operands keep rank order.
class Halving {
public:
  Halving(schedule::Builder& builder, Survivors const& all);

  void run();

  /// Where the sum of the pieces that are left is; with room for all pieces left after step 0.
  [[nodiscard]] PieceLayout const& sum() const noexcept { return sum_; }

private:
  void meet();
  void halve(int step);
  void combine(schedule::BlockRun run, bool is_sum_left);

  schedule::Builder& builder_;
  Survivors all_;
  PieceLayout sum_;
  PieceLayout arriving_;
  PieceLayout spare_;
};

}  // namespace espalier::algorithms
