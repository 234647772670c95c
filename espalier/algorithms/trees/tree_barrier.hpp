// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/family.hpp"
#include "espalier/pattern/tree.hpp"

namespace espalier::algorithms {

/// Barrier along a tree with root 0: signals go up, the last children of the tree first, and then
/// down. Twice as many rounds as the tree has.
/// @param node of the rank in the tree, which takes num_rounds rounds.
[[nodiscard]] schedule::RankProgram
tree_barrier(Request const& request, int rank, pattern::TreeNode const& node, int num_rounds);

/// Barriers along the trees of a family.
template <TreeFamily Trees> struct TreeBarrier {
  static schedule::RankProgram generate(Request const& request, int rank) {
    return tree_barrier(request, rank, Trees::node(request, rank), Trees::num_rounds(request));
  }

  /// The root sends as often as it has children; below it, ranks send to their parents, too.
  static Facts facts(Request const& request) {
    pattern::TreeNode const root = Trees::node(request, 0);
    std::size_t most = root.children.size();
    for (pattern::TreeEdge const& edge : root.children) {
      most = std::max(most, 1 + Trees::node(request, edge.child).children.size());
    }
    return {
        .rounds = 2 * Trees::num_rounds(request),
        .messages = static_cast<std::int64_t>(most),
        .volume = 0,
    };
  }
};

}  // namespace espalier::algorithms
