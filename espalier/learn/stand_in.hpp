// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "espalier/algorithms/catalog.hpp"

namespace espalier::learn {

/// A small communicator in place of a large one: fewer nodes with fewer ranks each, in blocks or
/// dealt in turns as those of the large one are. Powers of two stay such, other numbers too.
class StandIn {
public:
  /// @param node_of_rank any number for each node; at least one rank
  /// @param most_ranks communicators that have no more stand for themselves; at least 16
  StandIn(std::vector<int> const& node_of_rank, int most_ranks);

  /// From 0, as they first occur.
  [[nodiscard]] std::vector<int> const& node_of_rank() const noexcept { return node_of_rank_; }

  /// Of the large communicator: from 0, as they first occur.
  [[nodiscard]] std::vector<int> const& node_of_large() const noexcept { return node_of_large_; }

  [[nodiscard]] int num_ranks() const noexcept { return static_cast<int>(node_of_rank_.size()); }

  /// The same choice with the nodes of this communicator for those of the large one; nullopt if it
  /// does not accept this many ranks, or has groups of ranks that are no nodes.
  [[nodiscard]] std::optional<algorithms::Choice> translated(algorithms::Choice const& choice
  ) const;

private:
  /// An argument such as `rows=64` or `dealt=64`, and what stands for it.
  struct Argument {
    std::string large;
    std::string small;
  };

  std::vector<int> node_of_large_;
  std::vector<int> node_of_rank_;
  std::array<Argument, 2> arguments_;  ///< groups of ranks, and their order; empty: none
};

}  // namespace espalier::learn
