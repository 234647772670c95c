// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/forms/grid.hpp"

#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace espalier::cost {
namespace {

using Extents = std::vector<int>;

TEST(ChainPipeline, FillsTheChainAndThenFlows) {
  Hockney const machine{.alpha = 2, .beta = 0.5, .gamma = 0.25};
  // 5 processes, 4 segments of 8 bytes: 7 steps of 2 + 6.
  EXPECT_DOUBLE_EQ(chain_pipeline(machine, 5, {.bytes = 32, .segment_bytes = 8}), 56);
}

TEST(ChainPipeline, HasALeastSegment) {
  Hockney const machine{.alpha = 10, .beta = 0.01, .gamma = 0.002};
  double const best = best_segment_bytes(machine, 12, 1e6);
  EXPECT_NEAR(best, std::sqrt(1e6 * 10 / (10 * 0.012)), 1e-6);
  auto const time = [&](double s) {
    return chain_pipeline(machine, 12, {.bytes = 1e6, .segment_bytes = s});
  };
  EXPECT_LT(time(best), time(best * 1.05));
  EXPECT_LT(time(best), time(best / 1.05));
}

TEST(ChainPipeline, OfTwoIsNotCut) {
  EXPECT_EQ(best_segment_bytes({.alpha = 10, .beta = 0.01}, 2, 1000), 1000);
}

TEST(Lines, AreTheSurfaceOfATile) {
  EXPECT_EQ(num_lines(Extents{2, 4}), 6);
  EXPECT_EQ(num_lines(Extents{2, 2, 2}), 12);
  EXPECT_EQ(num_lines(Extents{1, 1, 8}), 17);
  EXPECT_EQ(num_lines(Extents{2, 2, 3}), 16);
  EXPECT_EQ(num_lines(Extents{1, 1, 12}), 25);
}

/// The node of each position when ranks are in node order, or when the cores of a node form a tile.
Extents strips(int num_positions, int num_cores) {
  Extents nodes;
  for (int x = 0; x < num_positions; ++x) {
    nodes.push_back(x / num_cores);
  }
  return nodes;
}

Extents tiles(Extents const& grid, Extents const& tile) {
  Extents nodes;
  for (int row = 0; row < grid[1]; ++row) {
    for (int column = 0; column < grid[0]; ++column) {
      nodes.push_back(row / tile[1] * (grid[0] / tile[0]) + column / tile[0]);
    }
  }
  return nodes;
}

TEST(ExternalLinks, OfStripsAndTiles) {
  struct Row {
    Extents grid;
    Extents tile;
    int of_strips;
    int of_tiles;
  };

  for (Row const& row : {
           Row{{4, 4}, {2, 2}, 4, 4},
           Row{{6, 6}, {2, 2}, 5, 4},
           Row{{8, 6}, {2, 2}, 5, 4},
           Row{{6, 8}, {2, 4}, 7, 6},
           Row{{8, 6}, {4, 2}, 8, 6},
           Row{{8, 8}, {2, 4}, 8, 6},
           Row{{8, 12}, {2, 4}, 8, 6},
           Row{{12, 8}, {2, 4}, 9, 6},
           Row{{12, 12}, {2, 4}, 9, 6},
           Row{{72, 72}, {3, 4}, 13, 7},
           Row{{144, 144}, {3, 4}, 13, 7},
       }) {
    int const num_cores = row.tile[0] * row.tile[1];
    EXPECT_EQ(external_links(strips(row.grid[0] * row.grid[1], num_cores), row.grid), row.of_strips)
        << row.grid[0] << "x" << row.grid[1];
    EXPECT_EQ(external_links(tiles(row.grid, row.tile), row.grid), row.of_tiles)
        << row.grid[0] << "x" << row.grid[1];
  }
}

TEST(GridPipeline, OfOneDimensionIsTheChain) {
  Cluster const cluster{
      .alpha = 2, .beta_internal = 0.5, .beta_external = 3, .gamma = 0.25, .channels = 2
  };
  Segments const segments{.bytes = 32, .segment_bytes = 8};
  Hockney const internal{.alpha = 2, .beta = 0.5, .gamma = 0.25};
  Hockney const external{.alpha = 2, .beta = 1.5, .gamma = 0.25};
  EXPECT_DOUBLE_EQ(
      grid_pipeline(cluster, Extents{5}, 0, segments), chain_pipeline(internal, 5, segments)
  );
  EXPECT_DOUBLE_EQ(
      grid_pipeline(cluster, Extents{5}, 1, segments), chain_pipeline(external, 5, segments)
  );
}

TEST(GridPipeline, SharesLinksBetweenNodesAndInside) {
  Cluster const cluster{
      .alpha = 1, .beta_internal = 1, .beta_external = 8, .gamma = 0, .channels = 2
  };
  // 6 + 8 - 4 + 2 * 10 steps of 1 + 10 (7/14 * 8/2 + 7/14).
  EXPECT_DOUBLE_EQ(
      grid_pipeline(cluster, Extents{6, 8}, 7, {.bytes = 100, .segment_bytes = 10}), 30 * 26.0
  );
  // 4 + 4 + 4 - 6 + 3 * 10 steps; 48 lines, 12 of them external.
  EXPECT_DOUBLE_EQ(
      grid_pipeline(cluster, Extents{4, 4, 4}, 12, {.bytes = 100, .segment_bytes = 10}),
      36 * (1 + 10 * (0.25 * 4 + 0.75))
  );
}

TEST(TilingGain, OfThePublishedMachines) {
  EXPECT_DOUBLE_EQ(tiling_gain(Extents{2, 2}), 5 / 4.0);
  EXPECT_DOUBLE_EQ(tiling_gain(Extents{2, 4}), 9 / 6.0);
  EXPECT_DOUBLE_EQ(tiling_gain(Extents{3, 4}), 13 / 7.0);
  EXPECT_DOUBLE_EQ(tiling_gain(Extents{2, 2, 2}), 17 / 12.0);
  EXPECT_DOUBLE_EQ(tiling_gain(Extents{2, 2, 3}), 25 / 16.0);
}

TEST(TilingGain, IsMostForCubes) {
  EXPECT_DOUBLE_EQ(most_tiling_gain(4, 2), tiling_gain(Extents{2, 2}));
  EXPECT_NEAR(most_tiling_gain(8, 3), tiling_gain(Extents{2, 2, 2}), 1e-12);
  EXPECT_GT(most_tiling_gain(12, 2), tiling_gain(Extents{3, 4}));
}

TEST(BinomialScatter, SharesChannels) {
  double const unlimited = std::numeric_limits<double>::infinity();
  EXPECT_EQ(binomial_scatter_volume(8, unlimited), 7);
  EXPECT_EQ(binomial_scatter_volume(32, unlimited), 31);
  EXPECT_EQ(binomial_scatter_volume(8, 2), 8);
  EXPECT_EQ(binomial_scatter_volume(32, 2), 48);
}

TEST(BinomialScatter, DependsOnTheOrderOfCores) {
  Extents const standard{0, 0, 0, 0, 1, 1, 1, 1};
  Extents const fastest_edge_first{0, 1, 0, 1, 0, 1, 0, 1};
  Extents const channel_aware{0, 0, 1, 1, 0, 0, 1, 1};
  double const inside = 1;
  for (double const between : {1.0, 1.25, 2.0, 5.0}) {
    auto const time = [&](Extents const& order) {
      return binomial_scatter_time(order, inside, between, 2);
    };
    EXPECT_DOUBLE_EQ(time(standard), 3 * inside + 4 * between);
    EXPECT_DOUBLE_EQ(time(fastest_edge_first), 6 * inside + 2 * between);
    EXPECT_DOUBLE_EQ(time(channel_aware), 5 * inside + 2 * between);
  }
}

TEST(Binomial, KeepsStagesInsideNodes) {
  EXPECT_EQ(internal_stages(1), 0);
  EXPECT_EQ(internal_stages(8), 3);
  EXPECT_EQ(internal_stages(12), 2);
  Cluster const cluster{
      .alpha = 1, .beta_internal = 1, .beta_external = 5, .gamma = 0, .channels = 1
  };
  // 8 nodes of 4 cores: 5 stages, 2 of them inside.
  EXPECT_DOUBLE_EQ(multicore_binomial(cluster, 8, 4, 10), 3 * 51 + 2 * 11);
}

TEST(Binomial, OfAGridSharesTheChannelsOfANode) {
  Cluster cluster{.alpha = 1, .beta_internal = 1, .beta_external = 5, .gamma = 0, .channels = 1};
  // 8 x 8 on tiles 2 x 4: dimension 1 has 3 stages, 1 inside, 4 lines; dimension 2 has 3, 2, 2.
  double const external = 51;
  double const internal = 11;
  EXPECT_DOUBLE_EQ(
      grid_binomial(cluster, Extents{8, 8}, Extents{2, 4}, 10),
      4 * 2 * external + internal + 2 * external + 2 * internal
  );
  cluster.channels = 4;
  EXPECT_DOUBLE_EQ(
      grid_binomial(cluster, Extents{8, 8}, Extents{2, 4}, 10),
      2 * external + internal + external + 2 * internal
  );
}

}  // namespace
}  // namespace espalier::cost
