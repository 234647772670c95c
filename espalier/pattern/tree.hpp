// SPDX-License-Identifier: Apache-2.0

/// @file
/// Trees over ranks 0 .. p - 1 with root 0: who is above, who is below, and in which round they
/// hear, when a rank serves one child per round.

#pragma once

#include <functional>
#include <span>
#include <vector>

namespace espalier::pattern {

struct TreeEdge {
  int child = 0;
  int round = 0;  ///< in which the message travels, counted from 0
  int size = 0;   ///< ranks in the child's subtree, as in TreeNode
};

struct TreeNode {
  int parent = -1;       ///< -1 at the root
  int parent_round = 0;  ///< in which the parent's message arrives; 0 at the root
  /// Ranks in the subtree of this node x, itself included: they are x, x + 1, ... In breadth-first
  /// order subtrees are no runs, and the size is 0.
  int size = 0;
  std::vector<TreeEdge> children;  ///< in the order in which they are served
};

/// Trees of one kind over any number of ranks: node(p, x).
using Tree = std::function<TreeNode(int num_ranks, int rank)>;

/// Node x of the k-nomial tree over p ranks; k >= 2, and k = 2 is the binomial tree.
///
/// Distances d fall from the largest power of k below p to 1; at each, every rank that has the
/// message serves the k - 1 ranks at d, 2d, ..., (k - 1) d beyond it.
[[nodiscard]] TreeNode k_nomial_node(int k, int p, int x);
[[nodiscard]] int k_nomial_rounds(int k, int p);
/// Number of ranks in the subtree of x, itself included: they are x, x + 1, ...
[[nodiscard]] int k_nomial_subtree_size(int k, int p, int x);

/// Node x of the complete k-ary tree in breadth-first order; k >= 1, and k = 1 is the chain.
[[nodiscard]] TreeNode k_ary_node(int k, int p, int x);
[[nodiscard]] int k_ary_rounds(int k, int p);

/// Node x of a k-ary tree in which every subtree is a run of ranks; k >= 1, and k = 1 is the chain.
///
/// A run is led by its first rank; cut into k parts of equal size, of which the last may be short,
/// its parts without the leader are the runs below. The last run is served first.
[[nodiscard]] TreeNode contiguous_k_ary_node(int k, int p, int x);
[[nodiscard]] int contiguous_k_ary_rounds(int k, int p);

/// Node x of the fork tree of a mesh with these extents, the last one varying fastest: every edge
/// is a link of the mesh. Along each line of the first dimension, then of the second, ... the
/// message goes from neighbour to neighbour; the earlier dimension is served first.
[[nodiscard]] TreeNode fork_node(std::span<int const> extents, int x);
/// As many as the tree is deep.
[[nodiscard]] int fork_rounds(std::span<int const> extents) noexcept;

}  // namespace espalier::pattern
