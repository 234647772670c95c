// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "espalier/mapping/orders/rank_vector.hpp"
#include "espalier/mapping/orders/rtt_matrix.hpp"

namespace espalier::mapping {

/// Which ranks of a group may still become children.
enum class Counting {
  left,       ///< all that have no position: a group is left when it is used up
  unclaimed,  ///< those that no parent claims for the rest of its part of the tree
};

/// A binomial tree while ranks are put into it, step after step, so that groups are crossed in one
/// step; see channel_aware().
class TreeFilling {
public:
  /// Refers to the matrix.
  /// @param groups of all ranks, numbered from 0 without gaps.
  TreeFilling(
      RttMatrix const& matrix, std::span<int const> groups, int crossing_step, Counting counting
  );

  /// Once.
  RankVector run(int root);

private:
  [[nodiscard]] int num_ranks() const noexcept { return matrix_.num_ranks(); }

  [[nodiscard]] int group_of(int rank) const { return group_of_[static_cast<std::size_t>(rank)]; }

  [[nodiscard]] int& free(int group) { return free_[static_cast<std::size_t>(group)]; }

  [[nodiscard]] int wanted(int position, int step) const;
  void put(int position, int rank, int step);
  void serve(int position, int child, int step);
  [[nodiscard]] int child_of(int parent, int size, int step);
  [[nodiscard]] int nearest_own(int parent) const;
  [[nodiscard]] int best_other(int parent, int size);
  [[nodiscard]] bool is_better(int parent, int rank, int than, int size);

  RttMatrix const& matrix_;
  std::vector<int> group_of_;
  RankVector ranks_;
  std::vector<bool> is_placed_;
  std::vector<int> free_;  ///< ranks that count, of each group; negative if more are claimed
  int num_steps_;
  int crossing_step_;
  Counting counting_;
};

}  // namespace espalier::mapping
