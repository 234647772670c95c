// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/topologies/rank_0.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/mapping/dims/cartesian_grid.hpp"
#include "espalier/mapping/dims/stencil.hpp"
#include "espalier/mapping/graph.hpp"
#include "espalier/mapping/orders/rank_vector.hpp"
#include "espalier/mapping/score.hpp"

namespace espalier::plan {
namespace {

using mapping::Places;
using mapping::RankVector;

/// Nodes of four ranks in two packages, ranks dealt to the nodes in turn.
Places even_places() {
  return Places(
      {{.name = "node", .group_of_rank = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}},
       {.name = "package",
        .group_of_rank = {0, 2, 4, 1, 3, 5, 1, 3, 5, 0, 2, 4},
        .cost = Places::inner_cost}}
  );
}

TEST(KeepRank0, CostsNothingOnNodesThatAreAlike) {
  Places const places = even_places();
  auto const graph = mapping::make_graph(
      mapping::CartesianGrid({3, 4}, {true, false}), mapping::Stencil::nearest(2)
  );
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    RankVector const before = mapping::random_order(12, static_cast<int>(seed % 12), seed);
    RankVector const after = keep_rank_0(before, places);
    EXPECT_EQ(after.front(), 0);
    EXPECT_EQ(mapping::refuses(after, 12), "");
    EXPECT_EQ(mapping::score(graph, places, after), mapping::score(graph, places, before));
  }
}

TEST(KeepRank0, ChangesNothingThatIsRight) {
  RankVector const order = mapping::random_order(12, 0, 5);
  EXPECT_EQ(keep_rank_0(order, even_places()), order);
}

TEST(KeepRank0, LeavesUnlikeNodesAlone) {
  Places const uneven({{.name = "node", .group_of_rank = {0, 1, 1}}});
  RankVector const order{1, 2, 0};
  EXPECT_EQ(keep_rank_0(order, uneven), order);
  EXPECT_EQ(
      keep_rank_0({2, 1, 0}, Places({{.name = "node", .group_of_rank = {0, 0, 0}}})),
      (RankVector{0, 1, 2})
  );
}

}  // namespace
}  // namespace espalier::plan
