// SPDX-License-Identifier: Apache-2.0

#include "espalier/profile/shape.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace espalier::profile {
namespace {

Placement of(std::vector<int> const& nodes) {
  return placement_of(nodes);
}

TEST(Placement, BlockIsWhereTheRanksOfEachNodeFollowEachOther) {
  EXPECT_EQ(of({0, 0, 3, 3}), Placement::block);
  EXPECT_EQ(of({3, 3, 3, 0, 1, 1}), Placement::block) << "nodes may be uneven and in any order";
}

TEST(Placement, CyclicIsWhereRanksWereDealtInTurn) {
  EXPECT_EQ(of({0, 1, 0, 1}), Placement::cyclic);
  EXPECT_EQ(of({4, 2, 7, 4, 2, 7, 4}), Placement::cyclic) << "the last turn may be short";
}

TEST(Placement, OtherIsWhatIsNeither) {
  EXPECT_EQ(of({0, 1, 1, 0}), Placement::other);
  EXPECT_EQ(of({0, 1, 0, 2, 1, 2}), Placement::other);
  EXPECT_EQ(of({0, 1, 2, 0, 1, 0}), Placement::other) << "a node was full before others";
}

TEST(Placement, ThereIsOneOnlyOnOneNodeAndWithOneRankOnEach) {
  EXPECT_EQ(of({}), Placement::any);
  EXPECT_EQ(of({5}), Placement::any);
  EXPECT_EQ(of({5, 5, 5}), Placement::any);
  EXPECT_EQ(of({2, 0, 1}), Placement::any);
}

/// Ranks may number nodes differently, as long as they agree on who is together.
TEST(Placement, DoesNotDependOnTheNumbersOfNodes) {
  std::mt19937 random(7);
  for (int i = 0; i < 1000; ++i) {
    std::vector<int> nodes(2 + random() % 7);
    std::vector<int> renamed(nodes.size());
    for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
      nodes[rank] = static_cast<int>(random() % 3);
      renamed[rank] = 100 - 7 * nodes[rank];
    }
    EXPECT_EQ(of(nodes), of(renamed)) << testing::PrintToString(nodes);
  }
}

TEST(Placement, HasANameInFiles) {
  for (Placement const placement : {Placement::block, Placement::cyclic, Placement::other}) {
    EXPECT_EQ(parse_placement(to_string(placement)), placement);
  }
  EXPECT_EQ(to_string(Placement::any), "");
  EXPECT_FALSE(parse_placement(""));
  EXPECT_FALSE(parse_placement("blocks"));
}

TEST(Shape, WithoutAPlacementCoversAllOfThem) {
  Shape const any{.num_ranks = 8, .num_nodes = 2};
  Shape const block{.num_ranks = 8, .num_nodes = 2, .placement = Placement::block};
  Shape const cyclic{.num_ranks = 8, .num_nodes = 2, .placement = Placement::cyclic};
  EXPECT_TRUE(any.covers(block));
  EXPECT_TRUE(block.covers(any));
  EXPECT_TRUE(block.covers(block));
  EXPECT_FALSE(block.covers(cyclic));
  EXPECT_FALSE(any.covers({.num_ranks = 8, .num_nodes = 4}));
  EXPECT_EQ(cyclic.text(), "8 ranks on 2 nodes (cyclic)");
  EXPECT_EQ(any.text(), "8 ranks on 2 nodes");
}

TEST(Shape, ClassesOfNeighborsArePowersOfTwo) {
  std::vector<int> found;
  for (int const most_edges : {0, 1, 2, 3, 4, 6, 26}) {
    found.push_back(neighbor_class(most_edges));
  }
  EXPECT_EQ(found, (std::vector<int>{1, 1, 2, 4, 4, 8, 32}));
}

TEST(Shape, TopologiesHaveNames) {
  for (Topology const one : {Topology::grid, Topology::graph, Topology::disconnected}) {
    EXPECT_EQ(parse_topology(to_string(one)), one);
  }
  EXPECT_EQ(parse_topology(""), std::nullopt);
}

}  // namespace
}  // namespace espalier::profile
