// SPDX-License-Identifier: Apache-2.0

/// @file
/// Binary trees in rank order: ranks of the left subtree are below a node, those of the right
/// subtree above it. So left (op) own (op) right keeps operands in rank order, whoever the root is.

#pragma once

namespace espalier::pattern {

/// A node and the messages towards the root: it hears the right child, then the left one.
struct InOrderNode {
  int begin = 0;  ///< the subtree is ranks begin .. end - 1
  int end = 1;
  int parent = -1;  ///< -1 at the root
  int left = -1;    ///< -1: no left child
  int right = -1;
  int left_round = 0;    ///< in which the left child is heard, counted from 0
  int right_round = 0;   ///< the same of the right child
  int parent_round = 0;  ///< in which the parent hears this node
};

/// Node x of the in-order tree over p ranks with this root; every other subtree is led by its
/// middle rank.
[[nodiscard]] InOrderNode in_order_node(int p, int root, int x);

/// Rounds in which the root has heard everybody.
[[nodiscard]] int in_order_rounds(int p, int root);

/// The root with which the tree is balanced.
[[nodiscard]] int in_order_middle(int p) noexcept;

}  // namespace espalier::pattern
