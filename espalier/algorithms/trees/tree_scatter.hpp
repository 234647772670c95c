// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/family.hpp"
#include "espalier/algorithms/trees/tree_bcast.hpp"
#include "espalier/pattern/tree.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::algorithms {

/// Scatter along a tree whose subtrees are runs of ranks: a rank hears the parts of its subtree in
/// one message and serves the children in order. Parts of a run that wraps travel as one slot.
/// @param node of the calling rank in the tree, with ranks counted from the root.
[[nodiscard]] schedule::RankProgram
tree_scatter(Request const& request, int rank, pattern::TreeNode const& node);

/// @param root the node of the root
/// @param keeps_root_busy whether it sends in every round; otherwise there is no closed form of
/// time
[[nodiscard]] Facts tree_scatter_facts(
    Request const& request, pattern::TreeNode const& root, int num_rounds, bool keeps_root_busy
);

/// `size` blocks of a run, from the one at `offset` on.
[[nodiscard]] schedule::Slot part_of(schedule::Slot run, int offset, int size);

/// Size of the largest subtree below the root; 0 if there is none.
[[nodiscard]] int largest_subtree(pattern::TreeNode const& root);

/// Most scratch blocks that a rank needs in a tree scatter or gather: leaves need none.
[[nodiscard]] std::int64_t subtree_scratch(pattern::TreeNode const& root);

/// Scatters along the trees of a family whose subtrees are runs of ranks.
template <TreeFamily Trees> struct TreeScatter {
  static schedule::RankProgram generate(Request const& request, int rank) {
    return tree_scatter(request, rank, Trees::node(request, relative_rank(request, rank)));
  }

  static Facts facts(Request const& request) {
    return tree_scatter_facts(
        request, Trees::node(request, 0), Trees::num_rounds(request), Trees::keeps_root_busy
    );
  }
};

}  // namespace espalier::algorithms
