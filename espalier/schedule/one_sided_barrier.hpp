// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

namespace espalier::schedule {

/// Signals by which each rank of a one-sided program learns that all have come as far as it has.
/// Over growing distances, by dissemination; where nodes are known, one rank of each node hears the
/// others, takes part for all of them, and tells them:
///
///     rank   0    1    2  |  3    4    5      two nodes of three ranks
///            <----+----+  |  <----+----+      step 0
///            <---------------->               step 1, of ceil(log2 nodes)
///            +---->---->  |  +---->---->      step 2
///
/// So 2 messages cross between nodes, in place of 10 by dissemination among all ranks.
class OneSidedBarrier {
public:
  /// @param node_of_rank  counted from 0; empty: all ranks are equally far.
  OneSidedBarrier(int num_ranks, std::span<int const> node_of_rank);

  /// What one rank does: it signals, behind everything before, and then awaits. A counter for each
  /// step.
  struct Step {
    int number = 0;
    std::vector<int> signals;  ///< ranks
    int num_arrivals = 0;
  };

  [[nodiscard]] int num_steps() const noexcept;

  /// Those in which the rank has something to do, in their order. All have come this far when it
  /// has awaited the arrivals of all of them.
  [[nodiscard]] std::vector<Step> steps_of(int rank) const;

private:
  /// By dissemination among so many, as number `own` of them.
  [[nodiscard]] static std::vector<Step> among(int count, int own);
  [[nodiscard]] std::vector<Step> on_nodes(int rank) const;

  int num_ranks_;
  std::vector<int> node_of_rank_;
  std::vector<std::vector<int>> ranks_of_node_;
};

}  // namespace espalier::schedule
