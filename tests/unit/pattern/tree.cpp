// SPDX-License-Identifier: Apache-2.0

#include "espalier/pattern/tree.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/integer.hpp"

namespace espalier::pattern {
namespace {

Tree k_nomial(int k) {
  return [k](int p, int x) { return k_nomial_node(k, p, x); };
}

Tree k_ary(int k) {
  return [k](int p, int x) { return k_ary_node(k, p, x); };
}

Tree contiguous_k_ary(int k) {
  return [k](int p, int x) { return contiguous_k_ary_node(k, p, x); };
}

Tree fork(std::vector<int> const& extents) {
  return [extents](int /*p*/, int x) { return fork_node(extents, x); };
}

/// `0(4(6(7) 5) 1(3 2))`: children in rank order, or in the opposite order.
std::string shape(Tree const& tree, int p, bool is_descending = true, int x = 0) {
  std::vector<int> children;
  for (TreeEdge const& edge : tree(p, x).children) {
    children.push_back(edge.child);
  }
  std::ranges::sort(children);
  if (is_descending) {
    std::ranges::reverse(children);
  }
  std::string text = std::to_string(x);
  char separator = '(';
  for (int const child : children) {
    text += separator + shape(tree, p, is_descending, child);
    separator = ' ';
  }
  return children.empty() ? text : text + ')';
}

/// Rounds of any tree, by asking every rank.
int count_rounds(Tree const& tree, int p) {
  int rounds = 0;
  for (int x = 0; x < p; ++x) {
    for (TreeEdge const& edge : tree(p, x).children) {
      rounds = std::max(rounds, edge.round + 1);
    }
  }
  return rounds;
}

int depth(Tree const& tree, int p, int x) {
  int hops = 0;
  for (; x != 0; x = tree(p, x).parent) {
    ++hops;
  }
  return hops;
}

/// Checks that the subtree of every rank is the run x .. x + size - 1.
void check_runs(Tree const& tree, int p) {
  for (int x = 0; x < p; ++x) {
    TreeNode node = tree(p, x);
    std::ranges::sort(node.children, {}, &TreeEdge::child);
    int end = x + 1;
    for (TreeEdge const& edge : node.children) {
      ASSERT_EQ(edge.child, end) << "rank " << x << " of " << p;
      ASSERT_EQ(edge.size, tree(p, edge.child).size) << "rank " << x << " of " << p;
      end += edge.size;
    }
    ASSERT_EQ(node.size, end - x) << "rank " << x << " of " << p;
  }
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
      check_runs(k_nomial(k), p);
      for (int x = 0; x < p; ++x) {
        ASSERT_EQ(k_nomial_subtree_size(k, p, x), k_nomial_node(k, p, x).size);
      }
    }
  }
}

TEST(KNomialTree, HasTheShapesOfItsSource) {
  EXPECT_EQ(shape(k_nomial(2), 8), "0(4(6(7) 5) 2(3) 1)");
  EXPECT_EQ(shape(k_nomial(4), 8), "0(4(7 6 5) 3 2 1)");
  EXPECT_EQ(shape(k_nomial(4), 16), "0(12(15 14 13) 8(11 10 9) 4(7 6 5) 3 2 1)");
}

TEST(ContiguousKAryTree, EdgesAgreeFromBothEndsAndSubtreesAreRuns) {
  for (int const k : {1, 2, 3, 4, 5, 7, 8, 100}) {
    for (int p = 1; p <= 200; ++p) {
      Tree const tree = contiguous_k_ary(k);
      int const rounds = check_tree(tree, p);
      ASSERT_EQ(rounds, contiguous_k_ary_rounds(k, p)) << "k = " << k << ", p = " << p;
      ASSERT_EQ(rounds, count_rounds(tree, p));
      check_runs(tree, p);
    }
  }
}

TEST(ContiguousKAryTree, HasTheShapesOfItsSource) {
  EXPECT_EQ(shape(contiguous_k_ary(1), 8), "0(1(2(3(4(5(6(7)))))))");
  EXPECT_EQ(shape(contiguous_k_ary(2), 8), "0(4(6(7) 5) 1(3 2))");
  EXPECT_EQ(shape(contiguous_k_ary(4), 8), "0(6(7) 4(5) 2(3) 1)");
  EXPECT_EQ(shape(contiguous_k_ary(8), 8), "0(7 6 5 4 3 2 1)");
}

TEST(Trees, HaveTheFanOutAndDepthOfTheirSource) {
  int const p = 256;
  for (auto const& [k, fan_out, levels] : {std::array{2, 8, 8}, {4, 12, 4}, {8, 17, 3}}) {
    EXPECT_EQ(contiguous_k_ary_node(k, p, 0).children.size(), static_cast<std::size_t>(k));
    EXPECT_EQ(k_nomial_node(k, p, 0).children.size(), static_cast<std::size_t>(fan_out));
    for (Tree const& tree : {contiguous_k_ary(k), k_nomial(k)}) {
      int deepest = 0;
      for (int x = 0; x < p; ++x) {
        deepest = std::max(deepest, depth(tree, p, x));
      }
      EXPECT_EQ(deepest, levels) << "k = " << k;
    }
  }
}

TEST(ForkTree, HasTheShapeOfItsSource) {
  std::string const expected = "0(1(2(3)) 4(5(6(7)) 8(9(10(11)))))";
  EXPECT_EQ(shape(fork({3, 4}), 12, false), expected);
  EXPECT_EQ(fork_rounds(std::array{3, 4}), 5);
  EXPECT_EQ(fork_rounds(std::array{8, 8, 8}), 21);
  EXPECT_EQ(depth(fork({8, 8, 8}), 512, 511), 21);
}

/// True if two places of a mesh are neighbours.
bool is_link(std::vector<int> const& extents, int x, int y) {
  int hops = 0;
  for (auto extent = extents.rbegin(); extent != extents.rend(); ++extent) {
    hops += std::abs(x % *extent - y % *extent);
    x /= *extent;
    y /= *extent;
  }
  return hops == 1;
}

TEST(ForkTree, UsesOnlyLinksAndNeedsAsManyRoundsAsItIsDeep) {
  for (int i = 0; i < 5 * 5 * 5 * 5; ++i) {
    std::vector<int> const extents{i % 5 + 1, i / 5 % 5 + 1, i / 25 % 5 + 1, i / 125 + 1};
    int const p = std::accumulate(extents.begin(), extents.end(), 1, std::multiplies{});
    Tree const tree = fork(extents);
    ASSERT_EQ(check_tree(tree, p), fork_rounds(extents));
    check_runs(tree, p);
    for (int x = 1; x < p; ++x) {
      ASSERT_TRUE(is_link(extents, x, tree(p, x).parent));
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
  EXPECT_EQ(contiguous_k_ary_rounds(2, p - 1), 2 * 19);
  EXPECT_EQ(contiguous_k_ary_node(2, p, p - 1).size, 1);
  EXPECT_EQ(fork_rounds(std::array{1024, 1024}), 2 * 1023);
}

}  // namespace
}  // namespace espalier::pattern
