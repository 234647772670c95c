// SPDX-License-Identifier: Apache-2.0

/// @file
/// Trees over ranks 0 .. p - 1 with root 0: who is above, who is below, and in which round they
/// hear, when a rank serves one child per round.

#pragma once

#include <vector>

namespace espalier::pattern {

struct TreeEdge {
  int child = 0;
  int round = 0;  ///< in which the message travels, counted from 0
};

struct TreeNode {
  int parent = -1;                 ///< -1 at the root
  int parent_round = 0;            ///< in which the parent's message arrives; 0 at the root
  std::vector<TreeEdge> children;  ///< in the order in which they are served
};

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

}  // namespace espalier::pattern
