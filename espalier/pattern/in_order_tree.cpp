// SPDX-License-Identifier: Apache-2.0

#include "espalier/pattern/in_order_tree.hpp"

#include <algorithm>

namespace espalier::pattern {
namespace {

/// Rounds until the middle rank of a run has heard the others: the right half is not smaller than
/// the left one, and heard first.
int rounds_of_run(int size) {
  int rounds = 0;
  for (; size > 2; size /= 2) {
    rounds += 2;
  }
  return rounds + (size == 2 ? 1 : 0);
}

int middle(int begin, int end) {
  return begin + in_order_middle(end - begin);
}

/// Children of node x, whose subtree is known.
void add_children(InOrderNode& node, int x) {
  int const after_right = node.end - x - 1;
  if (after_right > 0) {
    node.right = middle(x + 1, node.end);
    node.right_round = rounds_of_run(after_right);
  }
  if (x > node.begin) {
    node.left = middle(node.begin, x);
    int const earliest = node.right < 0 ? 0 : node.right_round + 1;
    node.left_round = std::max(earliest, rounds_of_run(x - node.begin));
  }
}

}  // namespace

InOrderNode in_order_node(int p, int root, int x) {
  InOrderNode node{.begin = 0, .end = p};
  add_children(node, root);
  for (int leader = root; leader != x;) {
    bool const is_left = x < leader;
    InOrderNode child{.parent = leader};
    child.begin = is_left ? node.begin : leader + 1;
    child.end = is_left ? leader : node.end;
    child.parent_round = is_left ? node.left_round : node.right_round;
    leader = is_left ? node.left : node.right;
    node = child;
    add_children(node, leader);
  }
  return node;
}

int in_order_rounds(int p, int root) {
  InOrderNode const node = in_order_node(p, root, root);
  int const after_left = node.left < 0 ? 0 : node.left_round + 1;
  return node.right < 0 ? after_left : std::max(after_left, node.right_round + 1);
}

int in_order_middle(int p) noexcept {
  return (p - 1) / 2;
}

}  // namespace espalier::pattern
