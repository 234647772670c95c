// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace espalier::neighborhood {

/// Which ranks share a node. Nodes are numbered from 0 in the order of their lowest ranks.
class Nodes {
public:
  /// @param node_of_rank any number for each node.
  explicit Nodes(std::span<int const> node_of_rank);

  [[nodiscard]] int num_nodes() const noexcept { return static_cast<int>(ranks_.size()); }

  [[nodiscard]] int node_of(int rank) const noexcept {
    return node_of_rank_[static_cast<std::size_t>(rank)];
  }

  /// Ascending.
  [[nodiscard]] std::span<int const> ranks(int node) const noexcept {
    return ranks_[static_cast<std::size_t>(node)];
  }

  /// Ranks of the node that has most.
  [[nodiscard]] int most_ranks() const noexcept;

private:
  std::vector<int> node_of_rank_;
  std::vector<std::vector<int>> ranks_;
};

}  // namespace espalier::neighborhood
