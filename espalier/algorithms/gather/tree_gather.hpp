// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/pattern/tree.hpp"

namespace espalier::algorithms {

/// Gather along a tree whose subtrees are runs of ranks, the tree scatter backwards: a rank
/// collects the parts of its subtree behind its own and sends them in one message.
/// @param node of the calling rank in the tree, with ranks counted from the root.
/// @param num_rounds of the tree.
[[nodiscard]] schedule::RankProgram
tree_gather(Request const& request, int rank, pattern::TreeNode const& node, int num_rounds);

}  // namespace espalier::algorithms
