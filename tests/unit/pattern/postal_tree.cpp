// SPDX-License-Identifier: Apache-2.0

#include "espalier/pattern/postal_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/integer.hpp"

namespace espalier::pattern {
namespace {

/// When each rank has the message, by what the postal model says: a rank sends to one child after
/// the other, and a message arrives `latency` rounds after its sending began.
std::vector<int> arrivals(int latency, int p) {
  std::vector<int> times(static_cast<std::size_t>(p), -1);
  times[0] = 0;
  std::vector<int> heard{0};
  for (std::size_t i = 0; i < heard.size(); ++i) {
    int begin = times[static_cast<std::size_t>(heard[i])];
    for (TreeEdge const& edge : postal_node(latency, p, heard[i]).children) {
      times.at(static_cast<std::size_t>(edge.child)) = begin++ + latency;
      heard.push_back(edge.child);
    }
  }
  return times;
}

/// The most ranks that can have a message after t rounds, whatever the tree: all that have it send
/// to another one in every round.
int most_after(int latency, int t) {
  std::vector<int> counts;
  for (int i = 0; i <= t; ++i) {
    counts.push_back(
        i < latency ? 1
                    : counts[static_cast<std::size_t>(i - 1)] +
                          counts[static_cast<std::size_t>(i - latency)]
    );
  }
  return counts.back();
}

TEST(PostalTree, IsTheFastestInItsModel) {
  for (int const latency : {1, 2, 3, 4, 7, 20}) {
    for (int p = 2; p <= 150; ++p) {
      std::vector<int> const times = arrivals(latency, p);
      ASSERT_EQ(std::ranges::count(times, -1), 0) << "latency " << latency << ", p = " << p;
      int const last = std::ranges::max(times);
      ASSERT_GE(most_after(latency, last), p);
      ASSERT_LT(most_after(latency, last - 1), p) << "latency " << latency << ", p = " << p;
    }
  }
}

TEST(PostalTree, EdgesAgreeFromBothEndsAndSubtreesAreRuns) {
  for (int const latency : {1, 2, 3, 5, 8, 200}) {
    for (int p = 1; p <= 130; ++p) {
      EXPECT_EQ(postal_node(latency, p, 0).parent, -1);
      int num_rounds = 0;
      for (int x = 0; x < p; ++x) {
        TreeNode const node = postal_node(latency, p, x);
        int end = x + node.size;
        int round = x == 0 ? 0 : node.parent_round + std::min(latency, p);
        for (TreeEdge const& edge : node.children) {
          TreeNode const child = postal_node(latency, p, edge.child);
          ASSERT_EQ(child.parent, x);
          ASSERT_EQ(child.parent_round, edge.round);
          ASSERT_EQ(child.size, edge.size);
          ASSERT_EQ(edge.round, round++);
          ASSERT_EQ(edge.child + edge.size, end) << "the last run is served first";
          end = edge.child;
          num_rounds = std::max(num_rounds, edge.round + 1);
        }
        ASSERT_EQ(end, x + 1) << "rank " << x << " of " << p;
      }
      ASSERT_EQ(num_rounds, postal_rounds(latency, p)) << "latency " << latency << ", p = " << p;
    }
  }
}

TEST(PostalTree, IsBinomialAtOnceAndFlatWhenNothingArrivesInTime) {
  for (int p = 1; p <= 1000; ++p) {
    EXPECT_EQ(postal_rounds(1, p), ceil_log2(p));
  }
  EXPECT_EQ(postal_node(1, 8, 0).children.size(), 3U);
  EXPECT_EQ(postal_node(8, 8, 0).children.size(), 7U);
  EXPECT_EQ(postal_rounds(1000000000, 8), 7);
}

}  // namespace
}  // namespace espalier::pattern
