// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/family.hpp"
#include "espalier/pattern/tree.hpp"

namespace espalier::algorithms {

/// Broadcast of one block along a tree: hear from the parent, then serve the children in order.
/// @param node of the calling rank in the tree, with ranks counted from the root.
[[nodiscard]] schedule::RankProgram
tree_bcast(Request const& request, int rank, pattern::TreeNode const& node);

/// Rank counted from the root of the request.
[[nodiscard]] int relative_rank(Request const& request, int rank);

/// Broadcasts along the trees of a family.
template <TreeFamily Trees> struct TreeBcast {
  static schedule::RankProgram generate(Request const& request, int rank) {
    return tree_bcast(request, rank, Trees::node(request, relative_rank(request, rank)));
  }

  /// No rank has more children than the root, and somebody sends in every round.
  static Facts facts(Request const& request) {
    int const rounds = Trees::num_rounds(request);
    int const sends = num_children_of_root<Trees>(request);
    return {.rounds = rounds, .messages = sends, .blocks = sends, .volume = rounds};
  }

  static int segment_period(Request const& request) {
    return std::max(1, num_children_of_root<Trees>(request));
  }
};

}  // namespace espalier::algorithms
