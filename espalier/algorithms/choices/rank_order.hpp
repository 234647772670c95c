// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

namespace espalier::algorithms {

/// The order in which a schedule sees the ranks: what it says of rank i is done by the rank at
/// position i.
///
/// With ranks placed on nodes in turn, a schedule that is good for neighbours (sparbit, orthogonal
/// groups) sees them node by node after `by_node`, and no data moves for it.
class RankOrder {
public:
  /// @param rank_of the rank at each position.
  /// @throws Error argument unless it is a permutation of 0 .. p - 1 with p >= 1.
  explicit RankOrder(std::vector<int> rank_of);

  /// Ranks of the same node next to each other: nodes in the order of their first ranks, the ranks
  /// of a node in ascending order.
  /// @param node_of_rank any number for each node.
  static RankOrder by_node(std::span<int const> node_of_rank);

  /// The same for ranks that were dealt to nodes in turn, passing over those that are full.
  /// @param capacities how many ranks each node takes; a single number n: n nodes without limit.
  /// @throws Error argument unless all of them together take num_ranks.
  static RankOrder by_dealt_node(int num_ranks, std::span<int const> capacities);

  [[nodiscard]] int num_ranks() const noexcept { return static_cast<int>(rank_of_.size()); }

  [[nodiscard]] int rank_at(int position) const {
    return rank_of_[static_cast<std::size_t>(position)];
  }

  [[nodiscard]] int position_of(int rank) const {
    return position_of_[static_cast<std::size_t>(rank)];
  }

private:
  std::vector<int> rank_of_;
  std::vector<int> position_of_;
};

/// The node of each rank where ranks are dealt to nodes in turn; parameters as by_dealt_node().
[[nodiscard]] std::vector<int> dealt_nodes(int num_ranks, std::span<int const> capacities);

}  // namespace espalier::algorithms
