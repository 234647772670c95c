// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/integer.hpp"
#include "espalier/pattern/tree.hpp"

namespace espalier::pattern {
namespace {

using Tree = std::function<TreeNode(int p, int x)>;

Tree k_nomial(int k) {
  return [k](int p, int x) { return k_nomial_node(k, p, x); };
}

Tree k_ary(int k) {
  return [k](int p, int x) { return k_ary_node(k, p, x); };
}

/// Checks a tree from both ends of every edge; returns the number of rounds.
int check_tree(Tree const& tree, int p) {
  EXPECT_EQ(tree(p, 0).parent, -1);
  std::vector<int> times_child(static_cast<std::size_t>(p), 0);
  int num_rounds = 0;
  for (int x = 0; x < p; ++x) {
    TreeNode const node = tree(p, x);
    int previous = x == 0 ? -1 : node.parent_round;
    for (TreeEdge const& edge : node.children) {
      TreeNode const child = tree(p, edge.child);
      EXPECT_EQ(child.parent, x) << "child " << edge.child << " of " << p;
      EXPECT_EQ(child.parent_round, edge.round) << "child " << edge.child << " of " << p;
      EXPECT_GT(edge.round, previous) << "rank " << x << " of " << p << ": one message a round";
      previous = edge.round;
      num_rounds = std::max(num_rounds, edge.round + 1);
      ++times_child.at(static_cast<std::size_t>(edge.child));
    }
  }
  EXPECT_EQ(times_child.front(), 0);
  EXPECT_EQ(std::count(times_child.begin() + 1, times_child.end(), 1), p - 1);
  return num_rounds;
}

TEST(KNomialTree, EdgesAgreeFromBothEndsAndRoundsAreAsSaid) {
  for (int const k : {2, 3, 4, 5, 8, 100}) {
    for (int p = 1; p <= 130; ++p) {
      ASSERT_EQ(check_tree(k_nomial(k), p), k_nomial_rounds(k, p)) << "k = " << k << ", p = " << p;
    }
  }
}

TEST(KAryTree, EdgesAgreeFromBothEndsAndRoundsAreAsSaid) {
  for (int const k : {1, 2, 3, 4, 7, 100}) {
    for (int p = 1; p <= 130; ++p) {
      ASSERT_EQ(check_tree(k_ary(k), p), k_ary_rounds(k, p)) << "k = " << k << ", p = " << p;
    }
  }
}

TEST(KNomialTree, WithTwoIsTheBinomialTree) {
  for (int p = 1; p <= 1000; ++p) {
    EXPECT_EQ(k_nomial_rounds(2, p), ceil_log2(p));
  }
  // Rank 12 of 16 hears from 8 in the second round and serves 14, then 13.
  TreeNode const node = k_nomial_node(2, 16, 12);
  EXPECT_EQ(node.parent, 8);
  EXPECT_EQ(node.parent_round, 1);
  ASSERT_EQ(node.children.size(), 2U);
  EXPECT_EQ(node.children[0].child, 14);
  EXPECT_EQ(node.children[0].round, 2);
  EXPECT_EQ(node.children[1].child, 13);
}

TEST(KNomialTree, TakesAllRoundsOfAPhaseOnlyAtPowersOfK) {
  EXPECT_EQ(k_nomial_rounds(3, 9), 4);  // two phases of two rounds
  EXPECT_EQ(k_nomial_rounds(3, 6), 3);  // in the first phase only rank 3 is served
  EXPECT_EQ(k_nomial_rounds(3, 7), 4);
  EXPECT_EQ(k_nomial_rounds(8, 1), 0);
  EXPECT_EQ(k_nomial_rounds(8, 5), 4);  // flat
}

TEST(KNomialTree, SubtreesAreRunsThatPartTheRanks) {
  for (int const k : {2, 3, 4}) {
    for (int p = 1; p <= 100; ++p) {
      for (int x = 0; x < p; ++x) {
        int size = 1;
        int end = x + 1;
        auto children = k_nomial_node(k, p, x).children;
        std::ranges::sort(children, {}, &TreeEdge::child);
        for (TreeEdge const& edge : children) {
          EXPECT_EQ(edge.child, end);
          end += k_nomial_subtree_size(k, p, edge.child);
          size += k_nomial_subtree_size(k, p, edge.child);
        }
        ASSERT_EQ(k_nomial_subtree_size(k, p, x), size) << "k = " << k << ", p = " << p;
      }
    }
  }
}

TEST(KAryTree, WithOneIsTheChain) {
  EXPECT_EQ(k_ary_rounds(1, 7), 6);
  TreeNode const node = k_ary_node(1, 7, 3);
  EXPECT_EQ(node.parent, 2);
  EXPECT_EQ(node.parent_round, 2);
  ASSERT_EQ(node.children.size(), 1U);
  EXPECT_EQ(node.children[0].child, 4);
  EXPECT_EQ(node.children[0].round, 3);
  EXPECT_TRUE(k_ary_node(1, 7, 6).children.empty());
}

TEST(Trees, WorkAtAMillionRanks) {
  int const p = 1 << 20;
  EXPECT_EQ(k_nomial_rounds(2, p), 20);
  EXPECT_EQ(k_nomial_node(2, p, 0).children.size(), 20U);
  EXPECT_EQ(k_nomial_node(2, p, p - 1).parent, p - 2);
  EXPECT_EQ(k_ary_node(2, p, p - 1).parent, p / 2 - 1);
  EXPECT_EQ(k_ary_rounds(2, p - 1), 2 * 19);
}

}  // namespace
}  // namespace espalier::pattern
