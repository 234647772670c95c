// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/pattern/tree.hpp"

namespace espalier::algorithms {

/// Broadcast of one block along a tree: hear from the parent, then serve the children in order.
/// @param node of the calling rank in the tree, with ranks counted from the root.
[[nodiscard]] schedule::RankProgram
tree_bcast(Request const& request, int rank, pattern::TreeNode const& node);

/// Rank counted from the root of the request.
[[nodiscard]] int relative_rank(Request const& request, int rank);

}  // namespace espalier::algorithms
