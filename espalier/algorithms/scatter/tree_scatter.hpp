// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/pattern/tree.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::algorithms {

/// Scatter along a tree whose subtrees are runs of ranks: a rank hears the parts of its subtree in
/// one message and serves the children in order. Parts of a run that wraps travel as one slot.
/// @param node of the calling rank in the tree, with ranks counted from the root.
[[nodiscard]] schedule::RankProgram
tree_scatter(Request const& request, int rank, pattern::TreeNode const& node);

/// `size` blocks of a run, from the one at `offset` on.
[[nodiscard]] schedule::Slot part_of(schedule::Slot run, int offset, int size);

/// Size of the largest subtree below the root; 0 if there is none.
[[nodiscard]] int largest_subtree(pattern::TreeNode const& root);

/// Most scratch blocks that a rank needs in a tree scatter or gather: leaves need none.
[[nodiscard]] std::int64_t subtree_scratch(pattern::TreeNode const& root);

}  // namespace espalier::algorithms
