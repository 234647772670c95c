// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "espalier/machine/tree/machine.hpp"

namespace espalier::candidates {

/// How algorithms are told where ranks are, as arguments.
struct RankGroups {
  /// `rows=16`, `sizes=8x8x4`, `rows=8x2`: the nodes, the next level, and both; empty if ranks of a
  /// node are not next to each other even in the order below, or all are alone or together.
  std::vector<std::string> groups;
  /// `dealt=16` where ranks were dealt to nodes in turn, otherwise empty.
  std::string order;
};

/// @param core_of each rank
[[nodiscard]] RankGroups
rank_groups(machine::Machine const& machine, std::vector<int> const& core_of);

/// The same where only the nodes are known, as any numbers: at most one of groups.
[[nodiscard]] RankGroups node_groups(std::vector<int> const& node_of_rank);

}  // namespace espalier::candidates
