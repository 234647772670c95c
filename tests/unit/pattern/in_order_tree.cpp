// SPDX-License-Identifier: Apache-2.0

#include "espalier/pattern/in_order_tree.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/integer.hpp"

namespace espalier::pattern {
namespace {

/// Calls visit(p, root) for small numbers of ranks and all roots.
template <typename Visitor> void for_each_tree(Visitor&& visit) {
  for (int p = 1; p <= 70; ++p) {
    for (int root = 0; root < p; ++root) {
      visit(p, root);
    }
  }
}

TEST(InOrderTree, HasLowerRanksOnTheLeftAndHigherRanksOnTheRight) {
  for_each_tree([](int p, int root) {
    for (int x = 0; x < p; ++x) {
      InOrderNode const node = in_order_node(p, root, x);
      ASSERT_EQ(node.parent < 0, x == root);
      ASSERT_EQ(node.left >= 0, node.begin < x);
      ASSERT_EQ(node.right >= 0, x + 1 < node.end);
      if (node.left >= 0) {
        InOrderNode const left = in_order_node(p, root, node.left);
        ASSERT_EQ(left.begin, node.begin);
        ASSERT_EQ(left.end, x);
        ASSERT_EQ(left.parent, x);
      }
      if (node.right >= 0) {
        InOrderNode const right = in_order_node(p, root, node.right);
        ASSERT_EQ(right.begin, x + 1);
        ASSERT_EQ(right.end, node.end);
        ASSERT_EQ(right.parent, x);
      }
    }
  });
}

TEST(InOrderTree, HearsOneChildPerRoundOnceTheyHaveHeardTheirs) {
  for_each_tree([](int p, int root) {
    int last = -1;
    for (int x = 0; x < p; ++x) {
      InOrderNode const node = in_order_node(p, root, x);
      if (node.left >= 0 && node.right >= 0) {
        ASSERT_LT(node.right_round, node.left_round);
      }
      int heard = -1;
      if (node.left >= 0) {
        ASSERT_EQ(in_order_node(p, root, node.left).parent_round, node.left_round);
        heard = node.left_round;
      }
      if (node.right >= 0) {
        ASSERT_EQ(in_order_node(p, root, node.right).parent_round, node.right_round);
        heard = std::max(heard, node.right_round);
      }
      ASSERT_TRUE(node.parent < 0 || heard < node.parent_round);
      last = std::max(last, heard);
    }
    ASSERT_EQ(in_order_rounds(p, root), last + 1) << "p = " << p << ", root = " << root;
  });
}

TEST(InOrderTree, HasNoLeftChildAloneBelowTheRoot) {
  for_each_tree([](int p, int root) {
    for (int x = 0; x < p; ++x) {
      InOrderNode const node = in_order_node(p, root, x);
      ASSERT_TRUE(x == root || node.left < 0 || node.right >= 0);
    }
  });
}

TEST(InOrderTree, IsBalancedAroundTheMiddle) {
  std::vector<int> const rounds{0, 1, 2, 3, 3, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6};
  for (int p = 1; p <= 15; ++p) {
    EXPECT_EQ(in_order_rounds(p, in_order_middle(p)), rounds[static_cast<std::size_t>(p - 1)]);
  }
  for (int p = 2; p <= 1 << 20; p *= 2) {
    EXPECT_EQ(in_order_rounds(p - 1, in_order_middle(p - 1)), 2 * (floor_log2(p) - 1));
  }
}

}  // namespace
}  // namespace espalier::pattern
