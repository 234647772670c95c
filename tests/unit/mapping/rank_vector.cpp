// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/orders/rank_vector.hpp"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/mapping/orders/node_orders.hpp"

namespace espalier::mapping {
namespace {

TEST(RankVector, SaysWhatIsNoPermutation) {
  EXPECT_EQ(refuses(RankVector{2, 0, 1}, 3), "");
  EXPECT_EQ(refuses(RankVector{}, 0), "");
  EXPECT_EQ(refuses(RankVector{0, 1}, 3), "expected an order of 3 ranks, got 2");
  EXPECT_EQ(
      refuses(RankVector{0, 2, 2}, 3),
      "expected each of ranks 0 .. 2 once in an order, got 2 at position 2"
  );
  EXPECT_NE(refuses(RankVector{0, 3, 1}, 3), "");
  EXPECT_NE(refuses(RankVector{0, -1, 1}, 3), "");
}

TEST(RankVector, KnowsThePositionOfEachRank) {
  EXPECT_EQ(positions(RankVector{2, 0, 3, 1}), (std::vector<int>{1, 3, 0, 2}));
  EXPECT_THROW(static_cast<void>(positions(RankVector{0, 0})), Error);
  EXPECT_THROW(static_cast<void>(positions(RankVector{})), Error);
}

TEST(StandardOrder, CountsFromTheRoot) {
  EXPECT_EQ(standard_order(4, 0), (RankVector{0, 1, 2, 3}));
  EXPECT_EQ(standard_order(4, 3), (RankVector{3, 0, 1, 2}));
  EXPECT_EQ(standard_order(1, 0), RankVector{0});
  EXPECT_THROW(static_cast<void>(standard_order(4, 4)), Error);
  EXPECT_THROW(static_cast<void>(standard_order(0, 0)), Error);
}

/// Numbers of another implementation of the generator: neither another platform nor another version
/// may give another order.
TEST(RandomOrder, IsTheSameOnEveryPlatform) {
  EXPECT_EQ(random_order(8, 0, 1), (RankVector{0, 3, 2, 1, 6, 5, 7, 4}));
  EXPECT_EQ(random_order(8, 5, 2), (RankVector{5, 2, 0, 1, 7, 3, 4, 6}));
}

TEST(RandomOrder, IsAPermutationWithTheRootFirst) {
  std::set<RankVector> seen;
  for (int seed = 0; seed < 100; ++seed) {
    RankVector const ranks = random_order(4, 2, static_cast<std::uint64_t>(seed));
    EXPECT_EQ(refuses(ranks, 4), "");
    EXPECT_EQ(ranks.front(), 2);
    seen.insert(ranks);
  }
  // All 3! orders of the others.
  EXPECT_EQ(seen.size(), 6U);
  EXPECT_EQ(random_order(1, 0, 9), RankVector{0});
  EXPECT_THROW(static_cast<void>(random_order(4, -1, 0)), Error);
}

/// The node of each new rank.
std::vector<int> nodes_in(RankVector const& ranks, std::vector<int> const& node_of_rank) {
  std::vector<int> nodes;
  for (int const rank : ranks) {
    nodes.push_back(node_of_rank[static_cast<std::size_t>(rank)]);
  }
  return nodes;
}

TEST(NodeOrders, MakeTheUsualPlacementsOfAnyOther) {
  std::vector<int> const cyclic{7, 5, 3, 7, 5, 3};
  EXPECT_EQ(by_node(cyclic), (RankVector{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(nodes_in(by_node(cyclic), cyclic), (std::vector<int>{7, 7, 5, 5, 3, 3}));
  std::vector<int> const block{0, 0, 1, 1, 2, 2};
  EXPECT_EQ(nodes_in(round_robin(block), block), (std::vector<int>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(round_robin(block), (RankVector{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(nodes_in(folded(block), block), (std::vector<int>{0, 1, 2, 2, 1, 0}));
  EXPECT_EQ(folded(block), (RankVector{0, 2, 4, 5, 3, 1}));
}

TEST(NodeOrders, PassOverNodesThatAreUsedUp) {
  std::vector<int> const uneven{0, 0, 0, 1, 2, 2};
  EXPECT_EQ(nodes_in(round_robin(uneven), uneven), (std::vector<int>{0, 1, 2, 0, 2, 0}));
  EXPECT_EQ(nodes_in(folded(uneven), uneven), (std::vector<int>{0, 1, 2, 2, 0, 0}));
  EXPECT_EQ(by_node(uneven), (RankVector{0, 1, 2, 3, 4, 5}));
}

TEST(NodeOrders, RefuseNoRanks) {
  EXPECT_THROW(static_cast<void>(by_node({})), Error);
  EXPECT_THROW(static_cast<void>(round_robin({})), Error);
  EXPECT_THROW(static_cast<void>(folded({})), Error);
}

}  // namespace
}  // namespace espalier::mapping
