// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace espalier::learn {

/// With whom one rank exchanges messages where all ranks of several nodes find the smallest of
/// their numbers, and none leaves before all have come. There are trees inside the nodes, whose
/// first ranks tell each other what they know at distances 1, 2, 4, ...; 3 nodes of 4 ranks:
///
///     0 <- 1   4 <- 5    8 <- 9        up the trees
///     2 <- 3   6 <- 7   10 <- 11
///     0 <- 2   4 <- 6    8 <- 10
///     0 -> 4   4 -> 8    8 -> 0        distance 1
///     0 -> 8   4 -> 0    8 -> 4        distance 2; a number may arrive twice
///     and back down the trees
///
/// Where ranks share processors, an exchange takes what its messages cost, and those between nodes
/// cost most. Recursive doubling of 8 nodes of 4 ranks sends 96 of these, and this one 24.
struct Meeting {
  /// First ranks of two other nodes.
  struct Distance {
    int to = 0;
    int from = 0;
  };

  /// @param node_of_rank  of all ranks; nodes are any numbers
  Meeting(int rank, std::span<int const> node_of_rank);

  std::optional<int> parent;        ///< none: the first rank of a node
  std::vector<int> children;        ///< the one with the smallest tree first
  std::vector<Distance> distances;  ///< of first ranks

  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return children.capacity() * sizeof(int) + distances.capacity() * sizeof(Distance);
  }
};

}  // namespace espalier::learn
