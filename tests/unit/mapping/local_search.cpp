// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/search/local_search.hpp"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/mapping/score.hpp"
#include "espalier/mapping/search/group_swaps.hpp"
#include "tests/unit/mapping/graph_samples.hpp"

namespace espalier::mapping {
namespace {

constexpr std::int64_t enough = 200'000;
constexpr double unlimited = std::numeric_limits<double>::infinity();

TEST(LocalSearch, FindsTheSquareTilesOfASmallGrid) {
  Graph const graph = nearest_graph({4, 4});
  Places const places = places_of_sizes({4, 4, 4, 4});
  RankVector const found = local_search(graph, places, identity_of(16), enough).rank_at;
  EXPECT_EQ(score(graph, places, identity_of(16)).cuts[0], (Cut{.total = 24, .worst = 8}));
  EXPECT_EQ(score(graph, places, found).cuts[0], (Cut{.total = 16, .worst = 4}));
}

TEST(LocalSearch, IsNeverWorseThanItsStart) {
  Graph const graph = nearest_graph({7, 5, 3});
  for (std::vector<int> const& sizes :
       {std::vector{105}, {1, 104}, {50, 55}, {7, 3, 1, 5, 40, 40, 9}, std::vector<int>(105, 1)}) {
    Places const places = places_of_sizes(sizes, 2);
    for (std::uint64_t seed = 1; seed < 4; ++seed) {
      RankVector const start = random_order(105, 0, seed);
      SearchResult const result = local_search(graph, places, start, 20'000);
      EXPECT_EQ(refuses(result.rank_at, 105), "");
      EXPECT_LE(
          score(graph, places, result.rank_at).objective, score(graph, places, start).objective
      );
    }
  }
}

TEST(LocalSearch, ImprovesPackagesWhereNodesAreAlreadyRight) {
  Graph const graph = nearest_graph({2, 8});
  Places const places = places_of_sizes({8, 8}, 4);
  // Nodes have four columns each, but packages have every other column.
  RankVector const start{0, 4, 1, 5, 8, 12, 9, 13, 2, 6, 3, 7, 10, 14, 11, 15};
  RankVector const found = local_search(graph, places, start, enough).rank_at;
  EXPECT_EQ(score(graph, places, start).cuts, (std::vector<Cut>{{4, 2}, {24, 6}}));
  EXPECT_EQ(score(graph, places, found).cuts, (std::vector<Cut>{{4, 2}, {8, 2}}));
}

TEST(LocalSearch, RelievesTheWorstGroup) {
  // A path of nine vertices: pieces of three leave 1, 2 and 1, and one in the middle that is torn
  // leaves 4.
  Graph const graph = nearest_graph({9});
  Places const places = places_of_sizes({3, 3, 3});
  RankVector const start{0, 3, 1, 4, 2, 5, 6, 7, 8};
  RankVector const found = local_search(graph, places, start, enough).rank_at;
  EXPECT_EQ(score(graph, places, found).cuts[0], (Cut{.total = 4, .worst = 2}));
}

TEST(LocalSearch, SeesBothEndsOfDirectedEdges) {
  std::vector<Edge> ring;
  for (int rank = 0; rank < 12; ++rank) {
    ring.push_back({.from = rank, .to = (rank + 5) % 12, .weight = 2.5});
  }
  Graph const graph = make_graph(12, ring);
  Places const places = places_of_sizes({4, 4, 4});
  RankVector const found = local_search(graph, places, identity_of(12), enough).rank_at;
  EXPECT_EQ(score(graph, places, found).cuts[0], (Cut{.total = 7.5, .worst = 2.5}));
}

TEST(LocalSearch, WithoutWorkAllowedKeepsItsStart) {
  Graph const graph = nearest_graph({6, 6});
  RankVector const start = random_order(36, 0, 3);
  EXPECT_EQ(local_search(graph, places_of_sizes({18, 18}), start, 0).rank_at, start);
}

TEST(LocalSearch, IsTheSameEveryTime) {
  Graph const graph = nearest_graph({9, 8});
  Places const places = places_of_sizes({24, 20, 28}, 4);
  RankVector const start = random_order(72, 0, 7);
  SearchResult const first = local_search(graph, places, start, enough);
  SearchResult const second = local_search(graph, places, start, enough);
  EXPECT_EQ(first.rank_at, second.rank_at);
  EXPECT_EQ(first.trials, second.trials);
}

TEST(LocalSearch, RefusesWhatIsNoPermutation) {
  try {
    static_cast<void>(
        local_search(nearest_graph({4}), places_of_sizes({2, 2}), {0, 1, 1, 2}, enough)
    );
    FAIL();
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::argument);
  }
}

/// Weights that differ by direction, and some edges that go one way only.
TwoWayGraph crooked() {
  std::vector<Edge> edges;
  for (int from = 0; from < 60; ++from) {
    for (int const step : {1, 7, 13, 29}) {
      edges.push_back({.from = from, .to = (from + step) % 60, .weight = 1.0 + (from * step) % 5});
    }
    edges.push_back({.from = (from + 1) % 60, .to = from, .weight = 3});
  }
  return two_way(make_graph(60, edges));
}

std::vector<double> leaving(GroupSwaps const& swaps) {
  std::vector<double> result;
  for (int group = 0; group < swaps.num_groups(); ++group) {
    result.push_back(swaps.leaving(group));
  }
  return result;
}

TEST(GroupSwaps, CountsWhatLeavesAsIfCountedAnew) {
  TwoWayGraph const graph = crooked();
  std::vector<int> groups;
  for (int vertex = 0; vertex < 60; ++vertex) {
    groups.push_back(vertex * 11 % 60 / 10);
  }
  std::vector<int> const parents{0, 0, 0, 1, 1, 1};
  GroupSwaps swaps(graph, groups, parents);
  double total = swaps.total();
  int num_better = 0;
  for (int a = 0; a < 6; ++a) {
    for (int const b : swaps.joined(a)) {
      EXPECT_EQ(parents[static_cast<std::size_t>(a)], parents[static_cast<std::size_t>(b)]);
      num_better += swaps.improve(a, b, GroupSwaps::Goal::total, unlimited) ? 1 : 0;
      EXPECT_LE(swaps.total(), total);
      total = swaps.total();
      EXPECT_EQ(leaving(swaps), leaving(GroupSwaps(graph, swaps.group_of_vertex(), parents)));
      EXPECT_EQ(swaps.members(a).size(), 10U);
    }
  }
  EXPECT_GT(num_better, 3);
}

TEST(GroupSwaps, LetsNoGroupLeaveMoreThanAllowed) {
  TwoWayGraph const graph = crooked();
  std::vector<int> groups;
  for (int vertex = 0; vertex < 60; ++vertex) {
    groups.push_back(vertex % 3);
  }
  GroupSwaps swaps(graph, groups, {0, 0, 0});
  double const limit = swaps.worst();
  for (int round = 0; round < 5; ++round) {
    swaps.improve(0, 1, GroupSwaps::Goal::total, limit);
    swaps.improve(1, 2, GroupSwaps::Goal::total, limit);
    EXPECT_LE(swaps.worst(), limit);
  }
}

TEST(TwoWayGraph, MeetsEveryEdgeFromBothEnds) {
  TwoWayGraph const graph = two_way(
      make_graph(3, std::vector<Edge>{{.from = 2, .to = 0, .weight = 5}, {.from = 0, .to = 1}})
  );
  EXPECT_EQ(graph.first, (std::vector<std::int64_t>{0, 2, 3, 4}));
  EXPECT_EQ(graph.neighbor, (std::vector{1, 2, 0, 0}));
  EXPECT_EQ(graph.out, (std::vector<double>{1, 0, 0, 5}));
  EXPECT_EQ(graph.back, (std::vector<double>{0, 5, 1, 0}));
}

TEST(TwoWayGraph, KeepsOneListOfWeightsWhereBothDirectionsAreTheSame) {
  TwoWayGraph const graph = two_way(nearest_graph({3}));
  EXPECT_TRUE(graph.back.empty());
  EXPECT_EQ(graph.both(0), 2);
}

TEST(TwoWayGraph, NumbersVerticesOfAPartInTheirOrder) {
  std::vector<int> scratch(6, -1);
  Graph const part = induced(nearest_graph({2, 3}), std::vector{4, 1, 0}, scratch);
  EXPECT_EQ(part.first, (std::vector<std::int64_t>{0, 1, 3, 4}));
  EXPECT_EQ(part.neighbor, (std::vector{1, 2, 0, 1}));
  EXPECT_EQ(scratch, std::vector(6, -1));
}

}  // namespace
}  // namespace espalier::mapping
