// SPDX-License-Identifier: Apache-2.0

/// @file
/// Graphs, and what mappings of them cost.

#include "espalier/mapping/graph.hpp"

#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/mapping/score.hpp"

namespace espalier::mapping {
namespace {

std::vector<int> neighbors(Graph const& graph, int vertex) {
  return {graph.neighbors(vertex).begin(), graph.neighbors(vertex).end()};
}

std::vector<double> weights(Graph const& graph, int vertex) {
  return {graph.weights(vertex).begin(), graph.weights(vertex).end()};
}

std::vector<int> identity(int num_ranks) {
  std::vector<int> ranks(static_cast<std::size_t>(num_ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

TEST(Graph, OfAGridAgreesWithShifts) {
  Stencil const stencil = Stencil::parse("(1,0):2 (-2,1) (0,-1):3", 2);
  for (bool const is_periodic : {false, true}) {
    CartesianGrid const grid({4, 5}, {is_periodic, !is_periodic});
    Graph const graph = make_graph(grid, stencil);
    std::vector<Edge> edges;
    for (int position = 0; position < grid.num_positions(); ++position) {
      for (Stencil::Neighbor const& neighbor : stencil.neighbors()) {
        int const there = grid.shifted(position, neighbor.offset);
        if (there >= 0) {
          edges.push_back({.from = position, .to = there, .weight = neighbor.weight});
        }
      }
    }
    EXPECT_EQ(graph, make_graph(grid.num_positions(), edges));
  }
}

/// Both neighbours are the same process, or the process itself.
TEST(Graph, OfSmallRingsAddsUpAndLeavesLoopsOut) {
  Graph const two = make_graph(CartesianGrid({2}, {true}), Stencil::nearest(1));
  EXPECT_EQ(neighbors(two, 0), std::vector{1});
  EXPECT_EQ(weights(two, 0), std::vector{2.0});
  Graph const one = make_graph(CartesianGrid({1}, {true}), Stencil::nearest(1));
  EXPECT_EQ(one.num_vertices(), 1);
  EXPECT_TRUE(neighbors(one, 0).empty());
  Graph const three = make_graph(CartesianGrid({3}, {true}), Stencil::nearest(1));
  EXPECT_EQ(neighbors(three, 0), (std::vector{1, 2}));
  EXPECT_THROW(static_cast<void>(make_graph(CartesianGrid({3}), Stencil::nearest(2))), Error);
}

TEST(Graph, OfEdgesDoesNotDependOnTheirOrder) {
  std::vector<Edge> const edges{{2, 0, 0.1}, {0, 1, 1}, {2, 0, 0.7}, {1, 1, 9}, {2, 0, 0.2}};
  Graph const graph = make_graph(4, edges);
  EXPECT_EQ(graph.num_vertices(), 4);
  EXPECT_EQ(neighbors(graph, 2), std::vector{0});
  EXPECT_DOUBLE_EQ(weights(graph, 2)[0], 1.0);
  EXPECT_TRUE(neighbors(graph, 1).empty());
  EXPECT_EQ(graph, make_graph(4, std::vector<Edge>(edges.rbegin(), edges.rend())));
}

TEST(Graph, BecomesSymmetric) {
  Graph const graph = symmetric(make_graph(3, std::vector<Edge>{{0, 1, 2}, {1, 0, 3}, {1, 2, 4}}));
  EXPECT_EQ(graph, make_graph(3, std::vector<Edge>{{0, 1, 5}, {1, 0, 5}, {1, 2, 4}, {2, 1, 4}}));
}

TEST(Graph, RefusesWhatIsNoEdge) {
  double const infinity = std::numeric_limits<double>::infinity();
  for (Edge const edge : {Edge{0, 3, 1}, Edge{-1, 0, 1}, Edge{0, 1, -1}, Edge{0, 1, infinity}}) {
    EXPECT_THROW(static_cast<void>(make_graph(3, std::vector{edge})), Error);
  }
  EXPECT_THROW(static_cast<void>(make_graph(0, std::vector<Edge>{})), Error);
}

/// Two packages of two in each of two nodes; what crosses nodes does not count between packages.
///
///     0 0 | 1 1 || 2 2 | 3 3        a line of eight, both ways
TEST(Score, CountsEachEdgeAtTheFirstLevelThatSplitsIt) {
  Graph const line = make_graph(CartesianGrid({8}), Stencil::nearest(1));
  Places const places({
      {.name = "node", .group_of_rank = {0, 0, 0, 0, 1, 1, 1, 1}, .cost = 1},
      {.name = "package", .group_of_rank = {0, 0, 1, 1, 2, 2, 3, 3}, .cost = 0.5},
  });
  Score const result = score(line, places, identity(8));
  ASSERT_EQ(result.cuts.size(), 2U);
  EXPECT_EQ(result.cuts[0], (Cut{.total = 2, .worst = 1}));
  EXPECT_EQ(result.cuts[1], (Cut{.total = 4, .worst = 1}));
  EXPECT_DOUBLE_EQ(result.total, 2 + 0.5 * 4);
  EXPECT_DOUBLE_EQ(result.worst, 1 + 0.5 * 1);
  EXPECT_DOUBLE_EQ(result.objective, (2.0 / 2 + 1) / 2 + 0.5 * (4.0 / 4 + 1) / 2);
}

TEST(Score, FollowsTheMapping) {
  Graph const line = make_graph(CartesianGrid({4}), Stencil::parse("(1):3", 1));
  Places const places({{.name = "node", .group_of_rank = {0, 0, 1, 1}}});
  EXPECT_EQ(score(line, places, identity(4)).cuts[0], (Cut{.total = 3, .worst = 3}));
  EXPECT_EQ(score(line, places, std::vector{0, 2, 1, 3}).cuts[0], (Cut{.total = 9, .worst = 6}));
  EXPECT_THROW(static_cast<void>(score(line, places, std::vector{0, 1, 2})), Error);
  EXPECT_THROW(static_cast<void>(score(line, places, std::vector{0, 1, 1, 2})), Error);
  Graph const other = make_graph(CartesianGrid({5}), Stencil::nearest(1));
  EXPECT_THROW(static_cast<void>(score(other, places, identity(5))), Error);
}

TEST(Score, IsBetterOnlyIfNobodyCanCallItWorse) {
  Score const base{.cuts = {}, .total = 10, .worst = 4, .objective = 5};
  auto const better = [&](double total, double worst, double objective) {
    return is_better({.cuts = {}, .total = total, .worst = worst, .objective = objective}, base);
  };
  EXPECT_TRUE(better(9, 4, 4.9));
  EXPECT_FALSE(better(9, 4, 5));
  EXPECT_FALSE(better(11, 2, 4));
  EXPECT_FALSE(better(5, 5, 4));
  EXPECT_TRUE(better(10 + 1e-12, 3, 4));  // the same sum in another order
  EXPECT_FALSE(is_better(base, base));
}

}  // namespace
}  // namespace espalier::mapping
