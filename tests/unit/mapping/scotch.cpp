// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/splitting/scotch.hpp"

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "tests/unit/mapping/graph_samples.hpp"

namespace espalier::mapping {
namespace {

TEST(Scotch, SaysWhetherItIsThere) {
  EXPECT_NE(has_scotch(), scotch_version().empty());
  if (has_scotch()) {
    EXPECT_EQ(scotch_mapper().name, "scotch");
    return;
  }
  try {
    static_cast<void>(scotch_mapper());
    FAIL();
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
  }
}

TEST(Scotch, FillsEveryGroupOfEveryLevelAndCutsLess) {
  if (!has_scotch()) {
    GTEST_SKIP() << "this build has no libscotch";
  }
  Graph const graph = nearest_graph({12, 10});
  Places const places = places_of_sizes({24, 30, 7, 1, 28, 30}, 8);
  RankVector const rank_at = scotch_mapper().map(graph, places);
  ASSERT_EQ(refuses(rank_at, 120), "");
  Score const before = score(graph, places, identity_of(120));
  EXPECT_LT(score(graph, places, rank_at).objective, before.objective);
  EXPECT_EQ(scotch_mapper().map(graph, places), rank_at);
}

TEST(Scotch, TakesGraphsOfAnyWeightsAndWithoutEdges) {
  if (!has_scotch()) {
    GTEST_SKIP() << "this build has no libscotch";
  }
  Places const places = places_of_sizes({4, 4});
  EXPECT_EQ(refuses(scotch_mapper().map(make_graph(8, {}), places), 8), "");
  std::vector<Edge> edges;
  for (int from = 0; from < 8; ++from) {
    edges.push_back({.from = from, .to = (from + 2) % 8, .weight = 1e12});
    edges.push_back({.from = from, .to = (from + 1) % 8, .weight = 1e-3});
  }
  RankVector const rank_at = scotch_mapper().map(make_graph(8, edges), places);
  EXPECT_LT(score(make_graph(8, edges), places, rank_at).cuts[0].total, 1);
}

}  // namespace
}  // namespace espalier::mapping
