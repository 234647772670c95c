// SPDX-License-Identifier: Apache-2.0

#include "espalier/pattern/two_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace espalier::pattern {
namespace {

TEST(TwoTree, EdgesAgreeFromBothEnds) {
  for (int p = 1; p <= 600; ++p) {
    for (int const tree : {0, 1}) {
      std::vector<int> times_child(static_cast<std::size_t>(p), 0);
      EXPECT_EQ(two_tree_node(tree, p, 0).parent, -1);
      for (int x = 0; x < p; ++x) {
        TreeNode const node = two_tree_node(tree, p, x);
        for (TreeEdge const& edge : node.children) {
          TreeNode const child = two_tree_node(tree, p, edge.child);
          ASSERT_EQ(child.parent, x) << "tree " << tree << ", child " << edge.child << " of " << p;
          ASSERT_EQ(child.parent_round, edge.round);
          ASSERT_TRUE(x == 0 || edge.round > node.parent_round);
          ++times_child.at(static_cast<std::size_t>(edge.child));
        }
      }
      ASSERT_EQ(times_child.front(), 0);
      ASSERT_EQ(std::count(times_child.begin() + 1, times_child.end(), 1), p - 1) << "p = " << p;
    }
  }
}

TEST(TwoTree, GivesARankOneMessageEachWayInEvenAndInOddRounds) {
  for (int p = 2; p <= 600; ++p) {
    for (int x = 0; x < p; ++x) {
      std::vector<int> received(2, 0);
      std::vector<int> sent(2, 0);
      for (int const tree : {0, 1}) {
        TreeNode const node = two_tree_node(tree, p, x);
        if (x > 0) {
          ++received.at(static_cast<std::size_t>(node.parent_round % 2));
        }
        for (TreeEdge const& edge : node.children) {
          ++sent.at(static_cast<std::size_t>(edge.round % 2));
        }
      }
      ASSERT_EQ(received, std::vector<int>(2, x == 0 ? 0 : 1)) << "rank " << x << " of " << p;
      ASSERT_LE(std::ranges::max(sent), 1) << "rank " << x << " of " << p;
    }
  }
}

TEST(TwoTree, HasChildrenOfARankInOneTreeOnly) {
  for (int p = 2; p <= 600; ++p) {
    for (int x = 1; x < p; ++x) {
      bool const is_inner = !two_tree_node(0, p, x).children.empty();
      ASSERT_FALSE(is_inner && !two_tree_node(1, p, x).children.empty())
          << "rank " << x << " of " << p;
    }
  }
}

TEST(TwoTree, TakesTheRoundsItSays) {
  for (int p = 2; p <= 600; ++p) {
    for (int const num_blocks : {2, 3, 8, 9}) {
      int rounds = 0;
      for (int x = 1; x < p; ++x) {
        for (int const tree : {0, 1}) {
          int const blocks = (num_blocks + 1 - tree) / 2;
          int const last = two_tree_node(tree, p, x).parent_round + 2 * (blocks - 1);
          rounds = std::max(rounds, last + 1);
        }
      }
      ASSERT_EQ(rounds, two_tree_rounds(p, num_blocks)) << "p = " << p << ", n = " << num_blocks;
    }
  }
}

TEST(TwoTree, IsASearchTreeAndItsMirrorImage) {
  // Tree 0 over 1 .. 6: 4 above 2 and 6, 2 above 1 and 3, 6 above 5.
  std::vector<int> parents_0;
  std::vector<int> parents_1;
  for (int x = 1; x <= 6; ++x) {
    parents_0.push_back(two_tree_node(0, 7, x).parent);
    parents_1.push_back(two_tree_node(1, 7, x).parent);
  }
  EXPECT_EQ(parents_0, (std::vector<int>{2, 4, 2, 0, 6, 4}));
  EXPECT_EQ(parents_1, (std::vector<int>{3, 1, 0, 5, 3, 5}));
}

TEST(TwoTree, WorksAtAMillionRanks) {
  int const p = 1'000'003;
  EXPECT_EQ(two_tree_rounds(p, 64), 64 + 2 * 19);
  TreeNode const node = two_tree_node(1, p, p - 1);
  EXPECT_LT(node.parent_round, 40);
  EXPECT_GT(node.parent, 0);
}

}  // namespace
}  // namespace espalier::pattern
