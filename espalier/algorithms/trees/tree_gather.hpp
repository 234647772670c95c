// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/family.hpp"
#include "espalier/algorithms/trees/tree_bcast.hpp"
#include "espalier/pattern/tree.hpp"

namespace espalier::algorithms {

/// Gather along a tree whose subtrees are runs of ranks, the tree scatter backwards: a rank
/// collects the parts of its subtree behind its own and sends them in one message.
/// @param node of the calling rank in the tree, with ranks counted from the root.
/// @param num_rounds of the tree.
[[nodiscard]] schedule::RankProgram
tree_gather(Request const& request, int rank, pattern::TreeNode const& node, int num_rounds);

/// As tree_scatter_facts().
[[nodiscard]] Facts tree_gather_facts(
    Request const& request, pattern::TreeNode const& root, int num_rounds, bool keeps_root_busy
);

/// Gathers along the trees of a family whose subtrees are runs of ranks.
template <TreeFamily Trees> struct TreeGather {
  static schedule::RankProgram generate(Request const& request, int rank) {
    pattern::TreeNode const node = Trees::node(request, relative_rank(request, rank));
    return tree_gather(request, rank, node, Trees::num_rounds(request));
  }

  static Facts facts(Request const& request) {
    return tree_gather_facts(
        request, Trees::node(request, 0), Trees::num_rounds(request), Trees::keeps_root_busy
    );
  }
};

}  // namespace espalier::algorithms
