// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/neighbors/neighbor_class.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace espalier::plan {
namespace {

using neighborhood::Neighborhood;
using profile::Topology;
using Lists = std::vector<std::vector<int>>;

NeighborClass class_of_grid(std::vector<int> extents, std::vector<bool> is_periodic) {
  return class_of(
      Neighborhood::of_cartesian(mapping::CartesianGrid(std::move(extents), std::move(is_periodic)))
  );
}

TEST(NeighborClass, OfGrids) {
  NeighborClass const plane{.topology = Topology::grid, .max_neighbors = 4};
  EXPECT_EQ(class_of_grid({3, 3}, {true, true}), plane);
  EXPECT_EQ(class_of_grid({2, 1}, {false, false}), plane);
  EXPECT_EQ(class_of_grid({4, 4, 4}, {true, false, true}).max_neighbors, 8);
}

TEST(NeighborClass, OfAGraphInWhichAStencilIsRecognisedIsThatOfTheGraph) {
  Lists const ring{{1, 3}, {2, 0}, {1, 3}, {0, 2}};
  Neighborhood const graph = Neighborhood::recognised(Neighborhood::of_lists(ring, ring));
  ASSERT_NE(graph.isomorphic(), nullptr);
  NeighborClass const expected{.topology = Topology::graph, .max_neighbors = 2};
  EXPECT_EQ(class_of(graph), expected);
}

TEST(NeighborClass, ShortRingsHaveSeveralEdgesBetweenTheSameRanks) {
  EXPECT_TRUE(class_of_grid({2}, {true}).has_repeated_edges);
  EXPECT_TRUE(class_of_grid({8, 1}, {false, true}).has_repeated_edges);
  EXPECT_FALSE(class_of_grid({2, 1}, {false, false}).has_repeated_edges);
}

TEST(NeighborClass, EdgesJoinRanksWhateverTheirDirection) {
  Lists const to{{1}, {}, {1}};
  Lists const from{{}, {0, 2}, {}};
  NeighborClass const expected{.topology = Topology::graph, .max_neighbors = 2};
  EXPECT_EQ(class_of(Neighborhood::of_lists(from, to)), expected);
}

TEST(NeighborClass, RanksWithoutNeighborsArePartsOfTheirOwn) {
  Lists const pair{{1}, {0}, {}};
  EXPECT_EQ(class_of(Neighborhood::of_lists(pair, pair)).topology, Topology::disconnected);
  Lists const absent{{1}, {0}, {-1}};
  EXPECT_EQ(class_of(Neighborhood::of_lists(absent, absent)).topology, Topology::disconnected);
  Lists const pairs{{1}, {0}, {3}, {2}};
  EXPECT_EQ(class_of(Neighborhood::of_lists(pairs, pairs)).topology, Topology::disconnected);
}

TEST(NeighborClass, FindsRepeatedEdgesAndOwnNeighbors) {
  Lists const twice{{1, 1}, {0, 0}};
  EXPECT_TRUE(class_of(Neighborhood::of_lists(twice, twice)).has_repeated_edges);
  Lists const own{{0, 1}, {0}};
  EXPECT_TRUE(class_of(Neighborhood::of_lists(own, own)).has_repeated_edges);
  Lists const once{{1}, {0}};
  EXPECT_FALSE(class_of(Neighborhood::of_lists(once, once)).has_repeated_edges);
}

}  // namespace
}  // namespace espalier::plan
