// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/pattern/folding.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {

/// The sum of one rank while ranks swap whole vectors, of one block. It moves between the output
/// and scratch: a result stands where its last operand stood, and received vectors go to the other
/// places.
class WholeVector {
public:
  explicit WholeVector(schedule::Builder& builder) : builder_(builder) {}

  /// In the builder's round: the members of a group, in the order of their operands, send each
  /// other their sums and combine all of them. The builder's rank is one of them.
  void combine(std::span<int const> members);
  /// Combines what a higher rank sends.
  void absorb(int higher_rank);
  /// Sends the sum.
  void send(int rank);
  /// Moves the sum to the output.
  void deliver();

private:
  [[nodiscard]] schedule::Slot place(int index) const;
  /// The output, if it is free, comes last: there the last operand arrives and the result will be.
  [[nodiscard]] std::vector<int> free_places(int number);

  schedule::Builder& builder_;
  int sum_ = 0;  // place 0 is the output, place i > 0 is scratch block i - 1
};

/// Allreduce in which ranks swap whole vectors, one group after the other.
/// @param groups one round each: the places, in rank order, among which that of `rank` is.
[[nodiscard]] schedule::RankProgram whole_vector_allreduce(
    int rank, pattern::Folding const& folding, std::vector<std::vector<int>> const& groups
);

[[nodiscard]] Facts
whole_vector_facts(pattern::Folding const& folding, std::vector<int> const& group_sizes);

}  // namespace espalier::algorithms
