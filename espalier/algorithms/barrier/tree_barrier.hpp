// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/pattern/tree.hpp"

namespace espalier::algorithms {

/// Barrier along a tree with root 0: signals go up, the last children of the tree first, and then
/// down. Twice as many rounds as the tree has.
/// @param node of the rank in the tree, which takes num_rounds rounds.
[[nodiscard]] schedule::RankProgram
tree_barrier(Request const& request, int rank, pattern::TreeNode const& node, int num_rounds);

}  // namespace espalier::algorithms
