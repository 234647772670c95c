// SPDX-License-Identifier: Apache-2.0

/// @file
/// Two binary trees below rank 0 through which the two halves of a message go at once.
///
/// Ranks 1 .. p - 1 are in both trees, and have children in at most one. Rounds are such that a
/// block follows the one before in the same tree two rounds later, and nobody sends or receives
/// more than one block in a round: in one tree a rank hears in even rounds, in the other in odd
/// ones; its two children hear in rounds of different parity.

#pragma once

#include "espalier/pattern/tree.hpp"

namespace espalier::pattern {

/// Node x of tree 0 or 1. Block j of this tree's half travels 2 j rounds after the rounds named
/// here. Subtrees are no runs that begin with x. O(log p).
[[nodiscard]] TreeNode two_tree_node(int tree, int p, int x);

/// Rounds in which a message cut into num_blocks arrives everywhere, even blocks through tree 0 and
/// odd ones through tree 1: num_blocks and about 2 log2 p.
[[nodiscard]] int two_tree_rounds(int p, int num_blocks) noexcept;

}  // namespace espalier::pattern
