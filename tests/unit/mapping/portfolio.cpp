// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/search/portfolio.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/mapping/graph_algorithm.hpp"
#include "tests/unit/mapping/graph_samples.hpp"

namespace espalier::mapping {
namespace {

/// An instance of published comparisons of node mappings, open grids, and the best cut known from
/// there: total / worst node.
struct Instance {
  std::vector<int> extents;
  std::string stencil;
  int per_node;
  Cut blocked;
  Cut known;
};

std::vector<Instance> const& table() {
  static std::vector<Instance> const instances{
      {{50, 48}, "nearest", 48, {4704, 96}, {1320, 30}},
      {{64, 64}, "nearest", 32, {8192, 65}, {2816, 24}},
      {{60, 40}, "nearest", 48, {4000, 82}, {1200, 28}},
      {{50, 48}, "(1,0) (-1,0) (0,1) (0,-1) (2,0) (-2,0) (3,0) (-3,0)", 48, {13824, 288}, {3076, 68}
      },
      {{50, 48}, "(1,0) (-1,0)", 48, {4704, 96}, {96, 2}},
      {{16, 16, 12}, "nearest", 48, {6912, 120}, {3840, 80}},
      {{14, 12, 10}, "nearest", 40, {3680, 100}, {2336, 68}},
  };
  return instances;
}

Mapping map(Instance const& instance, MappingOptions const& options) {
  CartesianGrid const grid(instance.extents);
  Stencil const stencil = Stencil::parse(instance.stencil, grid.num_dimensions());
  Places const places = places_of_sizes(std::vector<int>(
      static_cast<std::size_t>(grid.num_positions() / instance.per_node), instance.per_node
  ));
  return map_grid({grid, stencil, places}, options);
}

TEST(Portfolio, IsAtLeastAsGoodAsTheBestKnown) {
  for (Instance const& instance : table()) {
    Mapping const mapping =
        map(instance,
            {.algorithms = {"nodecart", "hyperplane", "stencil_strips"}, .searches = false});
    EXPECT_EQ(mapping.before.cuts[0], instance.blocked);
    EXPECT_LE(mapping.after.cuts[0].total, instance.known.total) << mapping.algorithm;
    EXPECT_LE(mapping.after.cuts[0].worst, instance.known.worst) << mapping.algorithm;
  }
}

TEST(Portfolio, SearchBeatsAllAlgorithmsWhereNoneFits) {
  Mapping const mapping =
      map(table()[3], {.algorithms = {"hyperplane", "stencil_strips"}, .max_trials = 100'000});
  EXPECT_EQ(mapping.algorithm, "stencil_strips + search");
  for (Trial const& trial : mapping.trials) {
    if (trial.score && trial.algorithm.find("search") == std::string::npos) {
      EXPECT_GT(trial.score->objective, mapping.after.objective) << trial.algorithm;
    }
  }
}

/// The least objective of all ways to put six ranks on a grid of 2 x 3.
double least_objective(Graph const& graph, Places const& places) {
  RankVector rank_at = identity_of(6);
  double least = score(graph, places, rank_at).objective;
  while (std::ranges::next_permutation(rank_at).found) {
    least = std::min(least, score(graph, places, rank_at).objective);
  }
  return least;
}

TEST(Portfolio, FindsTheOptimumOfSmallGrids) {
  CartesianGrid const grid({2, 3});
  for (std::vector<int> const& sizes :
       {std::vector{3, 3}, {2, 4}, {1, 2, 3}, {2, 2, 2}, {5, 1}, {1, 1, 4}}) {
    for (std::string const stencil : {"nearest", "full", "(1,1) (0,1):3", "(0,2):7 (1,0)"}) {
      Stencil const parsed = Stencil::parse(stencil, 2);
      Places const places = places_of_sizes(sizes);
      Graph const graph = make_graph(grid, parsed);
      double const identity = score(graph, places, identity_of(6)).objective;
      double const found = map_grid({grid, parsed, places}).after.objective;
      EXPECT_LE(found, identity);
      // Nothing may become worse at all, so the least objective may stay out of reach.
      EXPECT_GE(found, least_objective(graph, places) - 1e-9);
      if (stencil == "nearest") {
        EXPECT_NEAR(found, least_objective(graph, places), 1e-9) << sizes.size();
      }
    }
  }
}

TEST(Portfolio, MapsGraphsWithoutAGrid) {
  Places const places = places_of_sizes({4, 4});
  Mapping const mapping = map_graph(two_cliques(), places);
  EXPECT_EQ(mapping.after.cuts[0], (Cut{.total = 2, .worst = 1}));
  EXPECT_EQ(score(two_cliques(), places, mapping.rank_at), mapping.after);
  EXPECT_EQ(one_line(mapping, places), "inter-node neighbours 16 -> 2, worst node 8 -> 1");
}

TEST(Portfolio, SaysWhatBecameOfEveryAlgorithm) {
  CartesianGrid const grid({5, 3});
  Stencil const stencil = Stencil::nearest(2);
  Places const places = places_of_sizes({7, 8});
  Mapping const mapping = map_grid({grid, stencil, places});
  std::size_t num_tried = 0;
  for (Trial const& trial : mapping.trials) {
    EXPECT_NE(trial.refusal.empty(), !trial.score.has_value()) << trial.algorithm;
    num_tried += trial.algorithm.find(" + ") == std::string::npos ? 1U : 0U;
  }
  EXPECT_EQ(num_tried, 1 + walk_algorithms().size() + graph_algorithms().size());
  EXPECT_EQ(mapping.trials.front().algorithm, "identity");
}

TEST(Portfolio, TriesOnlyWhatIsNamed) {
  Instance const& instance = table()[2];
  Mapping const mapping = map(instance, {.algorithms = {"hyperplane"}, .searches = false});
  ASSERT_EQ(mapping.trials.size(), 2U);
  EXPECT_EQ(mapping.trials[1].algorithm, "hyperplane");
  EXPECT_EQ(mapping.algorithm, "hyperplane");
}

TEST(Portfolio, RefusesUnknownNamesWithAllThatThereAre) {
  try {
    static_cast<void>(map(table()[2], {.algorithms = {"magic"}}));
    FAIL();
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::argument);
    std::string const text = error.what();
    EXPECT_NE(text.find("identity, "), std::string::npos) << text;
    EXPECT_NE(text.find("bisection; got 'magic'"), std::string::npos) << text;
  }
}

TEST(Portfolio, RefusesAGridOfAnotherSize) {
  CartesianGrid const grid({4, 4});
  Stencil const stencil = Stencil::nearest(2);
  Places const places = places_of_sizes({8, 7});
  EXPECT_THROW(static_cast<void>(map_grid({grid, stencil, places})), Error);
  EXPECT_THROW(static_cast<void>(map_graph(nearest_graph({4}), places)), Error);
}

TEST(Portfolio, TakesMappersFromOutsideOnlyIfTheyAreBetter) {
  Graph const graph = two_cliques();
  Places const places = places_of_sizes({4, 4});
  GraphMapper const worst{.name = "worst", .map = [](Graph const& given, Places const&) {
                            return identity_of(given.num_vertices());
                          }};
  GraphMapper const best{.name = "best", .map = [](Graph const&, Places const&) {
                           return RankVector{0, 4, 1, 5, 2, 6, 3, 7};
                         }};
  MappingOptions options{.algorithms = {"worst"}, .searches = false, .mappers = {worst, best}};
  EXPECT_TRUE(map_graph(graph, places, options).is_identity());
  options.algorithms = {"worst", "best"};
  EXPECT_EQ(map_graph(graph, places, options).algorithm, "best");
}

TEST(Portfolio, SaysThatAGridIsTooLargeForAMapperUnlessItIsNamed) {
  GraphMapper const slow{
      .name = "slow",
      .map = [](Graph const& given, Places const&) { return identity_of(given.num_vertices()); },
      .most_edges_of_grid = 10,
  };
  Instance const& instance = table()[6];
  MappingOptions options{.searches = false, .mappers = {slow}};
  EXPECT_EQ(
      map(instance, options).trials.back().refusal,
      "expected a grid of at most 10 edges, got 9224; name the algorithm to try it anyway"
  );
  options.algorithms = {"slow"};
  EXPECT_EQ(map(instance, options).trials.back().refusal, "");
}

Mapping map_nearest(std::vector<int> extents, Places const& places) {
  CartesianGrid const grid(std::move(extents));
  Stencil const stencil = Stencil::nearest(grid.num_dimensions());
  return map_grid({grid, stencil, places});
}

TEST(Portfolio, IsTheSameEveryTime) {
  Places const places = places_of_sizes({9, 11, 8, 7}, 3);
  Mapping const first = map_nearest({7, 5}, places);
  EXPECT_EQ(first.rank_at, map_nearest({7, 5}, places).rank_at);
  EXPECT_EQ(first.algorithm, map_nearest({7, 5}, places).algorithm);
}

TEST(OneLine, TellsTheOutermostLevelThatChanges) {
  Places const nodes = places_of_sizes({16, 16, 16, 16});
  EXPECT_EQ(
      one_line(map_nearest({8, 8}, nodes), nodes),
      "inter-node neighbours 48 -> 32, worst node 16 -> 8"
  );
  Places const packages = places_of_sizes({16}, 4);
  EXPECT_EQ(
      one_line(map_nearest({4, 4}, packages), packages),
      "inter-package neighbours 24 -> 16, worst package 8 -> 4"
  );
}

TEST(OneLine, SaysWhyNothingChanges) {
  Places const line = places_of_sizes({3, 3});
  EXPECT_EQ(
      one_line(map_nearest({6}, line), line),
      "nothing changes: found nothing better than inter-node neighbours 2, worst node 1"
  );
  Places const one = places_of_sizes({6});
  EXPECT_EQ(one_line(map_nearest({2, 3}, one), one), "nothing changes: all ranks are in one node");
  Mapping const none = map_graph(make_graph(6, {}), line);
  EXPECT_EQ(one_line(none, line), "nothing changes: no neighbours in different groups");
  EXPECT_EQ(none.trials[1].refusal, "nothing to improve: no edge leaves a group");
}

TEST(OneLine, CallsWeightsThatAreNoCountsWeights) {
  CartesianGrid const grid({4, 4});
  std::vector<double> const weights{0.5, 0.25};
  Stencil const stencil = Stencil::nearest(2, weights);
  Places const places = places_of_sizes({4, 4, 4, 4});
  EXPECT_EQ(
      one_line(map_grid({grid, stencil, places}), places),
      "inter-node weight 12 -> 6, worst node 4 -> 1.5"
  );
}

}  // namespace
}  // namespace espalier::mapping
