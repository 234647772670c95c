// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/mapping/graph_algorithm.hpp"
#include "espalier/mapping/score.hpp"
#include "espalier/mapping/splitting/fitting.hpp"
#include "espalier/mapping/splitting/growing.hpp"
#include "espalier/mapping/splitting/halving.hpp"
#include "tests/unit/mapping/graph_samples.hpp"

namespace espalier::mapping {
namespace {

std::vector<Graph> samples() {
  std::vector<Graph> graphs{nearest_graph({24}), nearest_graph({4, 6}), nearest_graph({2, 3, 4})};
  std::vector<Edge> star;
  std::vector<Edge> pairs;
  for (int vertex = 1; vertex < 24; ++vertex) {
    star.push_back({.from = 0, .to = vertex, .weight = 0.5 * vertex});
    pairs.push_back({.from = vertex, .to = vertex ^ 1});
  }
  graphs.push_back(symmetric(make_graph(24, star)));
  graphs.push_back(symmetric(make_graph(24, pairs)));
  graphs.push_back(make_graph(24, {}));
  return graphs;
}

TEST(GraphAlgorithms, PlaceEveryVertexOnceInGroupsOfAnySizes) {
  std::vector<Places> const all_places{
      places_of_sizes({24}),
      places_of_sizes({8, 8, 8}, 4),
      places_of_sizes({1, 7, 3, 13}, 3),
      places_of_sizes(std::vector<int>(24, 1)),
  };
  for (GraphAlgorithm const* algorithm : graph_algorithms()) {
    for (Graph const& graph : samples()) {
      for (Places const& places : all_places) {
        EXPECT_EQ(refuses(algorithm->walk(graph, places), 24), "") << algorithm->name;
      }
    }
  }
}

TEST(GraphAlgorithms, KeepCliquesTogether) {
  Graph const graph = two_cliques();
  Places const places = places_of_sizes({4, 4}, 2);
  EXPECT_EQ(score(graph, places, identity_of(8)).cuts[0].total, 16);
  for (GraphAlgorithm const* algorithm : graph_algorithms()) {
    RankVector const rank_at = lay(algorithm->walk(symmetric(graph), places), places);
    EXPECT_EQ(score(graph, places, rank_at).cuts[0].total, 2) << algorithm->name;
  }
}

TEST(GraphAlgorithms, CutAPathIntoPieces) {
  Graph const graph = nearest_graph({20});
  Places const places = places_of_sizes({5, 7, 2, 6});
  for (GraphAlgorithm const* algorithm : graph_algorithms()) {
    RankVector const rank_at = lay(algorithm->walk(graph, places), places);
    EXPECT_EQ(score(graph, places, rank_at).cuts[0], (Cut{.total = 6, .worst = 2}))
        << algorithm->name;
  }
}

TEST(GraphAlgorithms, NameTheirSources) {
  ASSERT_EQ(graph_algorithms().size(), 2U);
  for (GraphAlgorithm const* algorithm : graph_algorithms()) {
    EXPECT_NE(algorithm->source, "");
    EXPECT_NE(algorithm->summary, "");
    EXPECT_NE(algorithm->summary.back(), '.');
    EXPECT_GT(algorithm->most_edges_of_grid, 0);
  }
}

TEST(Growing, BeginsAtAnEndAndStaysConnected) {
  Graph const graph = nearest_graph({12});
  EXPECT_EQ(peripheral_vertex(graph, 5), 0);
  EXPECT_EQ(peripheral_vertex(graph, 6), 11);
  Growing growing(graph);
  growing.grow(5);
  growing.grow(7);
  EXPECT_EQ(growing.group_of_vertex(), (std::vector{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(Growing, FollowsTheHeaviestEdges) {
  std::vector<Edge> const edges{
      {.from = 0, .to = 1, .weight = 1},
      {.from = 0, .to = 2, .weight = 9},
      {.from = 0, .to = 3, .weight = 4},
  };
  Graph const graph = symmetric(make_graph(4, edges));
  Growing growing(graph);
  growing.grow_from(0, 2);
  growing.grow(2);
  EXPECT_EQ(growing.group_of_vertex(), (std::vector{0, 1, 0, 1}));
}

/// Weight of edges between halves, each once.
double cut_of(Graph const& graph, std::vector<int> const& half) {
  double cut = 0;
  for (int vertex = 0; vertex < graph.num_vertices(); ++vertex) {
    for (std::size_t i = 0; i < graph.neighbors(vertex).size(); ++i) {
      auto const neighbor = static_cast<std::size_t>(graph.neighbors(vertex)[i]);
      bool const is_cut = half[neighbor] != half[static_cast<std::size_t>(vertex)];
      cut += is_cut ? graph.weights(vertex)[i] / 2 : 0;
    }
  }
  return cut;
}

TEST(Halving, FindsTheBridgeBetweenTwoGrids) {
  Graph const grid = nearest_graph({12, 15});
  std::vector<Edge> edges{{.from = 100, .to = 280, .weight = 0.5}};
  for (int vertex = 0; vertex < 180; ++vertex) {
    for (int const neighbor : grid.neighbors(vertex)) {
      // Two grids, whose vertices are mixed by numbering.
      edges.push_back({.from = vertex, .to = neighbor, .weight = 0.5});
      edges.push_back({.from = 359 - vertex, .to = 359 - neighbor, .weight = 0.5});
    }
  }
  Graph const graph = symmetric(make_graph(360, edges));
  std::vector<int> const half = nearly_halved(graph, 180);
  EXPECT_EQ(std::ranges::count(half, 0), 180);
  EXPECT_EQ(cut_of(graph, half), 0.5);
}

TEST(Halving, KeepsSizesWhereNothingIsJoined) {
  for (int const size : {1, 100, 333, 499}) {
    std::vector<int> const half = nearly_halved(make_graph(500, {}), size);
    EXPECT_LE(std::abs(std::ranges::count(half, 0) - size), 1);
  }
}

TEST(Halving, CutsALongGridAcross) {
  Graph const graph = nearest_graph({5, 80});
  std::vector<int> const half = nearly_halved(graph, 150);
  EXPECT_LE(std::abs(std::ranges::count(half, 0) - 150), 1);
  EXPECT_LE(cut_of(graph, half), 6);
}

TEST(Fitting, MovesTheFewestVerticesThroughGroupsThatAreJoined) {
  // Sizes 4 4 1 along a path: the middle group passes on what the first one has too much.
  std::vector<int> const sizes{3, 3, 3};
  EXPECT_EQ(
      fitted(nearest_graph({9}), {0, 0, 0, 0, 1, 1, 1, 1, 2}, sizes),
      (std::vector{0, 0, 0, 1, 1, 1, 2, 2, 2})
  );
}

TEST(Fitting, FindsGroupsThatNoEdgeLeadsTo) {
  std::vector<int> const sizes{2, 2};
  std::vector<int> const groups = fitted(make_graph(4, {}), {0, 0, 0, 0}, sizes);
  EXPECT_EQ(std::ranges::count(groups, 1), 2);
}

TEST(Fitting, RefusesSizesThatDoNotAddUp) {
  std::vector<int> const sizes{2, 3};
  EXPECT_THROW(static_cast<void>(fitted(nearest_graph({4}), {0, 0, 1, 1}, sizes)), Error);
}

}  // namespace
}  // namespace espalier::mapping
