// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/dims/fitted_grid.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/mapping/graph.hpp"
#include "espalier/mapping/score.hpp"

namespace espalier::mapping {
namespace {

using Ints = std::vector<int>;

/// Nodes of packages of ranks, ranks in the order of the hardware or dealt out to nodes.
Places places(int num_nodes, int num_packages, int num_cores, bool is_cyclic = false) {
  int const per_node = num_packages * num_cores;
  Places::LevelGroups node{.name = "node", .group_of_rank = {}};
  Places::LevelGroups package{.name = "package", .group_of_rank = {}, .cost = 1 / 8.0};
  for (int rank = 0; rank < num_nodes * per_node; ++rank) {
    int const place = is_cyclic ? rank % num_nodes * per_node + rank / num_nodes : rank;
    node.group_of_rank.push_back(place / per_node);
    package.group_of_rank.push_back(place / num_cores);
  }
  return Places({node, package});
}

Places uneven() {
  return Places({{.name = "node", .group_of_rank = {0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2}}});
}

TEST(EqualParts, LeaveOutLevelsThatSplitNothing) {
  EXPECT_EQ(equal_parts(places(8, 2, 12)), (Ints{8, 2, 12}));
  EXPECT_EQ(equal_parts(places(8, 1, 12)), (Ints{8, 12}));
  EXPECT_EQ(equal_parts(places(1, 2, 1)), (Ints{2}));
  EXPECT_EQ(equal_parts(places(1, 1, 1)), (Ints{1}));
}

TEST(EqualParts, AreNoneWhereNodesDiffer) {
  EXPECT_EQ(equal_parts(uneven()), std::nullopt);
  EXPECT_EQ(equal_parts(first_places(places(2, 2, 4), 12)), std::nullopt);
  EXPECT_EQ(equal_parts(first_places(places(2, 2, 4), 8)), (Ints{2, 4}));
}

TEST(FitDims, AreThoseOfTheLevels) {
  FittedDims const fitted = fit_dims(places(8, 2, 12), {.dims = {0, 0, 0}});
  EXPECT_EQ(fitted.dims, (Ints{8, 6, 4}));
  EXPECT_EQ(fitted.dims_ml, (MultiLevelDims{{2, 2, 2}, {2, 1, 3}, {2, 1, 2}}));
}

TEST(FitDims, OfUnevenNodesAreWeightedOnly) {
  FittedDims const fitted = fit_dims(uneven(), {.dims = {0, 0}, .weights = {1, 3}});
  EXPECT_EQ(fitted.dims, (Ints{6, 2}));
  EXPECT_TRUE(fitted.dims_ml.empty());
}

TEST(FitDims, JointCostsAreGivenOrThoseOfPlaces) {
  Places const all = places(4, 2, 9);
  std::vector<double> const weights{1, 1.7};
  GridWish wish{.dims = {0, 0}, .weights = weights, .is_joint = true};
  std::vector<double> const known{1, 1 / 8.0, 1 / 64.0};
  EXPECT_EQ(fit_dims(all, wish).dims_ml, joint_dims(Ints{4, 2, 9}, known, weights));
  wish.costs = {1e-6, 1e-6, 1};
  EXPECT_EQ(fit_dims(all, wish).dims_ml, joint_dims(Ints{4, 2, 9}, wish.costs, weights));
  // Costs that are left out follow the last one in the proportion of the places.
  wish.costs = {4};
  EXPECT_EQ(fit_dims(all, wish).dims_ml, joint_dims(Ints{4, 2, 9}, known, weights));
}

TEST(LayLevels, MakeEveryNodeABlock) {
  for (bool const is_cyclic : {false, true}) {
    Places const all = places(4, 2, 6, is_cyclic);
    FittedDims const fitted = fit_dims(all, {.dims = {0, 0}});
    ASSERT_EQ(fitted.dims, (Ints{8, 6}));
    RankVector const rank_at = lay_levels(fitted.dims_ml, all);
    CartesianGrid const grid(fitted.dims);
    for (int position = 0; position < 48; ++position) {
      int const rank = rank_at[static_cast<std::size_t>(position)];
      int const block = grid.coordinate(position, 0) / 4 * 2 + grid.coordinate(position, 1) / 3;
      int const first = grid.position(Ints{block / 2 * 4, block % 2 * 3});
      int const of_block = rank_at[static_cast<std::size_t>(first)];
      EXPECT_EQ(all.group_of(0, rank), all.group_of(0, of_block));
    }
    Graph const graph = make_graph(grid, Stencil::nearest(2));
    // 4 blocks of 4 x 3: two cuts of 8 and 6 edges, in both directions.
    EXPECT_EQ(score(graph, all, rank_at).cuts[0].total, 2 * (8 + 6));
  }
}

TEST(WeightedStencil, WeighsFaces) {
  Stencil const stencil = weighted_stencil(Ints{4, 2}, std::vector<double>{1, 4});
  ASSERT_EQ(stencil.neighbors().size(), 4U);
  for (Stencil::Neighbor const& neighbor : stencil.neighbors()) {
    EXPECT_EQ(neighbor.weight, neighbor.offset[0] != 0 ? 4 * 0.25 : 2 * 1);
  }
}

TEST(WeightedStencil, HasNoMessagesWithoutWeight) {
  Stencil const along = weighted_stencil(Ints{4, 2}, std::vector<double>{0, 1});
  ASSERT_EQ(along.neighbors().size(), 2U);
  EXPECT_EQ(along.neighbors()[0].offset[0], 0);
  EXPECT_EQ(weighted_stencil(Ints{4, 2}, std::vector<double>{0, 0}), Stencil::nearest(2));
}

}  // namespace
}  // namespace espalier::mapping
