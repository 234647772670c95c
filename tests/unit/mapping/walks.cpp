// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/cost/forms/grid.hpp"
#include "espalier/mapping/score.hpp"
#include "espalier/mapping/walk.hpp"

namespace espalier::mapping {
namespace {

/// Groups of equal size; the last one is smaller if they do not divide the ranks.
Places::LevelGroups groups(int num_ranks, int size, double cost = 1) {
  Places::LevelGroups level{.name = cost == 1 ? "node" : "package", .cost = cost};
  for (int rank = 0; rank < num_ranks; ++rank) {
    level.group_of_rank.push_back(rank / size);
  }
  return level;
}

Walk walk_of(std::string_view algorithm, Problem const& problem) {
  WalkAlgorithm const& found = find_walk_algorithm(algorithm);
  EXPECT_EQ(found.refuses(problem), "");
  return found.walk(problem);
}

/// One row of the table of instances: grid, stencil, ranks of a node.
struct Instance {
  std::vector<int> extents;
  std::string stencil;
  int node_size;
  Cut before;
  std::map<std::string_view, Cut> most;  ///< of each algorithm
};

/// Edges between nodes, in total and of the worst node: what quick versions of the published
/// algorithms gave.
std::vector<Instance> instances() {
  std::string const far = "(-1,0) (1,0) (0,-1) (0,1) (-2,0) (2,0) (-3,0) (3,0)";
  return {
      {.extents = {50, 48},
       .stencil = "5pt",
       .node_size = 48,
       .before = {4704, 96},
       .most =
           {{"hyperplane", {1328, 38}},
            {"k_d_tree", {1732, 46}},
            {"stencil_strips", {1320, 30}},
            {"nodecart", {2404, 50}},
            {"tile", {2404, 50}}}},
      {.extents = {64, 64},
       .stencil = "5pt",
       .node_size = 32,
       .before = {8192, 65},
       .most =
           {{"hyperplane", {2816, 24}},
            {"k_d_tree", {2816, 24}},
            {"stencil_strips", {2824, 26}},
            {"nodecart", {2816, 24}},
            {"tile", {2816, 24}},
            {"hilbert", {2816, 24}}}},
      {.extents = {60, 40},
       .stencil = "5pt",
       .node_size = 48,
       .before = {4000, 82},
       .most =
           {{"hyperplane", {1240, 35}},
            {"k_d_tree", {1736, 46}},
            {"stencil_strips", {1280, 30}},
            {"nodecart", {1200, 28}},
            {"tile", {1200, 28}}}},
      {.extents = {50, 48},
       .stencil = far,
       .node_size = 48,
       .before = {13824, 288},
       .most =
           {{"hyperplane", {3268, 108}},
            {"k_d_tree", {4036, 110}},
            {"stencil_strips", {3076, 68}},
            {"nodecart", {11524, 242}},
            {"tile", {11524, 242}}}},
      {.extents = {50, 48},
       .stencil = "(-1,0) (1,0)",
       .node_size = 48,
       .before = {4704, 96},
       .most =
           {{"hyperplane", {288, 16}},
            {"k_d_tree", {96, 2}},
            {"stencil_strips", {464, 10}},
            {"nodecart", {2304, 48}},
            {"snake", {96, 2}}}},
      {.extents = {16, 16, 12},
       .stencil = "7pt",
       .node_size = 48,
       .before = {6912, 120},
       .most =
           {{"hyperplane", {3840, 80}},
            {"k_d_tree", {3840, 80}},
            {"stencil_strips", {4032, 80}},
            {"nodecart", {3840, 80}}}},
      {.extents = {14, 12, 10},
       .stencil = "7pt",
       .node_size = 40,
       .before = {3680, 100},
       .most =
           {{"hyperplane", {2520, 93}},
            {"k_d_tree", {2956, 91}},
            {"stencil_strips", {2504, 78}},
            {"nodecart", {2336, 68}}}},
  };
}

class WalksOnInstances : public testing::TestWithParam<Instance> {
protected:
  CartesianGrid grid{GetParam().extents};
  Stencil stencil = Stencil::parse(GetParam().stencil, grid.num_dimensions());
  Places places{{groups(grid.num_positions(), GetParam().node_size)}};
  Problem problem{.grid = grid, .stencil = stencil, .places = places};
  Graph graph = make_graph(grid, stencil);

  Cut cut_of(Walk const& walk) { return score(graph, places, lay(walk, places)).cuts.front(); }
};

TEST_P(WalksOnInstances, AreNotWorseThanQuickVersions) {
  for (auto const& [algorithm, most] : GetParam().most) {
    Cut const cut = cut_of(walk_of(algorithm, problem));
    EXPECT_LE(cut.total, most.total) << algorithm;
    EXPECT_LE(cut.worst, most.worst) << algorithm;
  }
}

TEST_P(WalksOnInstances, StartFromTheSameBlockedOrder) {
  EXPECT_EQ(score(graph, places, places.hardware_order()).cuts.front(), GetParam().before);
}

/// What leaves no freedom comes out the same to the last edge.
TEST_P(WalksOnInstances, ReproduceTreesAndBlocksExactly) {
  for (std::string_view const algorithm : {"k_d_tree", "nodecart"}) {
    EXPECT_EQ(cut_of(walk_of(algorithm, problem)), GetParam().most.at(algorithm)) << algorithm;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, WalksOnInstances, testing::ValuesIn(instances()));

TEST(Tile, FollowsTheClosedForm) {
  struct Case {
    int rows, columns, size, tile_columns;
  };

  for (Case const& c :
       {Case{4, 4, 4, 2}, Case{6, 6, 4, 2}, Case{6, 8, 8, 4}, Case{12, 72, 12, 3}}) {
    CartesianGrid const grid({c.rows, c.columns});
    Stencil const stencil = Stencil::nearest(2);
    Places const places({groups(c.rows * c.columns, c.size)});
    RankVector const rank_at =
        lay(walk_of("tile", {.grid = grid, .stencil = stencil, .places = places}), places);
    int const k1 = c.tile_columns;
    int const k2 = c.size / k1;
    for (int row = 0; row < c.rows; ++row) {
      for (int column = 0; column < c.columns; ++column) {
        EXPECT_EQ(
            rank_at[static_cast<std::size_t>(row * c.columns + column)],
            row / k2 * c.columns * k2 + column / k1 * k1 * k2 + row % k2 * k1 + column % k1
        );
      }
    }
  }
}

TEST(Tile, ReachesThePublishedNumbersOfLinks) {
  struct Case {
    int rows, columns, size, before, after;
  };

  for (Case const& c :
       {Case{4, 4, 4, 4, 4},
        Case{6, 6, 4, 5, 4},
        Case{6, 8, 4, 5, 4},
        Case{8, 6, 8, 7, 6},
        Case{6, 8, 8, 8, 6},
        Case{8, 8, 8, 8, 6},
        Case{12, 8, 8, 8, 6},
        Case{8, 12, 8, 9, 6},
        Case{12, 12, 8, 9, 6},
        Case{72, 72, 12, 13, 7}}) {
    CartesianGrid const grid({c.rows, c.columns});
    Stencil const stencil = Stencil::nearest(2);
    Places const places({groups(c.rows * c.columns, c.size)});
    std::vector<int> const extents{c.columns, c.rows};
    std::vector<int> node_of = places.groups(0).group_of_rank;
    EXPECT_EQ(cost::external_links(node_of, extents), c.before) << c.columns << 'x' << c.rows;
    RankVector const rank_at =
        lay(walk_of("tile", {.grid = grid, .stencil = stencil, .places = places}), places);
    std::ranges::transform(rank_at, node_of.begin(), [&](int rank) {
      return places.group_of(0, rank);
    });
    EXPECT_EQ(cost::external_links(node_of, extents), c.after) << c.columns << 'x' << c.rows;
  }
}

/// Heavy messages make a tile long in their direction.
TEST(Tile, IsWeightedByTheStencil) {
  CartesianGrid const grid({16, 16});
  Places const places({groups(256, 16)});
  for (auto const& [weight, rows] : {std::pair{1.0, 4}, std::pair{4.0, 8}, std::pair{16.0, 16}}) {
    Stencil const stencil = Stencil::nearest(2, std::vector{weight, 1.0});
    RankVector const rank_at =
        lay(walk_of("tile", {.grid = grid, .stencil = stencil, .places = places}), places);
    int height = 0;
    while (height < 16 && places.group_of(0, rank_at[static_cast<std::size_t>(height * 16)]) == 0) {
      ++height;
    }
    EXPECT_EQ(height, rows);
  }
}

/// A ring keeps what goes round its end inside a block that is as long. On an open grid 4 x 2 keeps
/// as much inside as 2 x 4, and comes first.
TEST(Nodecart, CountsMessagesRoundTheEnd) {
  Stencil const stencil = Stencil::nearest(2);
  Places const places({groups(32, 8)});
  auto const first_node = [&](bool is_ring) {
    CartesianGrid const grid({8, 4}, {false, is_ring});
    Walk const walk = walk_of("nodecart", {.grid = grid, .stencil = stencil, .places = places});
    return Walk(walk.begin(), walk.begin() + 8);
  };
  EXPECT_EQ(first_node(true), (Walk{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(first_node(false), (Walk{0, 1, 4, 5, 8, 9, 12, 13}));
}

TEST(MultiLevel, GivesUpALittleOutsideForMoreInside) {
  CartesianGrid const grid({12, 12, 12});
  Stencil const stencil = Stencil::nearest(3);
  auto const objective = [&](std::string_view algorithm, double package_cost) {
    Places const places({groups(1728, 24), groups(1728, 12, package_cost)});
    Problem const problem{.grid = grid, .stencil = stencil, .places = places};
    Graph const graph = make_graph(grid, stencil);
    return score(graph, places, lay(walk_of(algorithm, problem), places)).total;
  };
  for (double const cost : {0.125, 0.5, 2.0, 50.0}) {
    EXPECT_LE(objective("multi_level", cost), objective("nodecart", cost)) << cost;
  }
}

TEST(MultiLevel, NeedsTwoLevels) {
  CartesianGrid const grid({4, 4});
  Stencil const stencil = Stencil::nearest(2);
  Places const places({groups(16, 4)});
  EXPECT_EQ(
      find_walk_algorithm("multi_level").refuses({grid, stencil, places}),
      "expected two levels with groups of equal size, got 1"
  );
}

TEST(Blocks, RefuseUnevenNodes) {
  CartesianGrid const grid({2, 5});
  Stencil const stencil = Stencil::nearest(2);
  Places const places({groups(10, 4)});
  for (std::string_view const algorithm : {"tile", "nodecart", "multi_level"}) {
    EXPECT_EQ(
        find_walk_algorithm(algorithm).refuses({grid, stencil, places}),
        "expected groups of equal size of level node, got 2 and 4 ranks"
    );
  }
}

/// Every step goes to a neighbour, so no piece is ever torn.
TEST(Curves, AreConnectedOnEvenGrids) {
  for (std::vector<int> const& extents :
       {std::vector{8, 8}, {16, 4}, {6, 10}, {7, 1}, {4, 4, 4}, {8, 4, 2}}) {
    CartesianGrid const grid(extents);
    Stencil const stencil = Stencil::nearest(grid.num_dimensions());
    Places const places({groups(grid.num_positions(), 4)});
    Graph const graph = make_graph(grid, stencil);
    for (std::string_view const algorithm : {"hilbert", "snake"}) {
      Walk const walk = walk_of(algorithm, {.grid = grid, .stencil = stencil, .places = places});
      for (std::size_t i = 1; i < walk.size(); ++i) {
        auto const near = graph.neighbors(walk[i - 1]);
        EXPECT_NE(std::ranges::find(near, walk[i]), near.end()) << algorithm << " step " << i;
      }
    }
  }
}

/// Every number of ranks and every way to write it as a product, with odd nodes, cores as a level
/// inside, open and periodic, in two to four dimensions.
TEST(Walks, VisitEachPositionOnce) {
  for (int num_ranks = 1; num_ranks <= 33; ++num_ranks) {
    for (int a = 1; a <= num_ranks; ++a) {
      if (num_ranks % a != 0) {
        continue;
      }
      int const b = num_ranks / a;
      auto const turn = static_cast<std::size_t>(num_ranks + a);
      std::vector<std::vector<int>> const shapes{{a, b}, {1, a, b}, {b, 1, 1, a}};
      int const node_size = std::vector{1, 3, 5, 7}[turn % 4];
      std::vector<int> const& extents = shapes[turn % 3];
      std::vector<bool> is_periodic(extents.size());
      is_periodic.back() = turn % 2 == 0;
      CartesianGrid const grid(extents, is_periodic);
      Stencil const stencil =
          Stencil::parse(turn % 5 == 0 ? "full" : "nearest", grid.num_dimensions());
      Places const places({groups(num_ranks, node_size), groups(num_ranks, 1, 0.125)});
      Problem const problem{.grid = grid, .stencil = stencil, .places = places};
      for (WalkAlgorithm const* algorithm : walk_algorithms()) {
        if (algorithm->refuses(problem).empty()) {
          EXPECT_EQ(refuses(algorithm->walk(problem), num_ranks), "")
              << algorithm->name << ' ' << a << 'x' << b << " nodes of " << node_size;
        }
      }
    }
  }
}

/// Nobody sends anything: every walk is as good, but still a walk.
TEST(Walks, ServeEmptyStencils) {
  CartesianGrid const grid({3, 4});
  Stencil const stencil(2, {});
  Places const places({groups(12, 3), groups(12, 1, 0.5)});
  for (WalkAlgorithm const* algorithm : walk_algorithms()) {
    Problem const problem{.grid = grid, .stencil = stencil, .places = places};
    EXPECT_EQ(algorithm->refuses(problem), "") << algorithm->name;
    EXPECT_EQ(refuses(algorithm->walk(problem), 12), "") << algorithm->name;
  }
}

TEST(Walks, AreFoundByName) {
  EXPECT_EQ(find_walk_algorithm("hilbert").name, "hilbert");
  EXPECT_THROW(static_cast<void>(find_walk_algorithm("peano")), Error);
  for (WalkAlgorithm const* algorithm : walk_algorithms()) {
    EXPECT_EQ(&find_walk_algorithm(algorithm->name), algorithm);
    EXPECT_FALSE(algorithm->summary.empty());
  }
}

TEST(Walks, AreLaidAlongTheHardware) {
  Places const places({{.name = "node", .group_of_rank = {0, 1, 0, 1}}});
  EXPECT_EQ(lay({3, 2, 1, 0}, places), (RankVector{3, 1, 2, 0}));
  EXPECT_THROW(static_cast<void>(lay({0, 1}, places)), Error);
  EXPECT_THROW(static_cast<void>(lay({0, 1, 2, 2}, places)), Error);
}

TEST(Problem, IsChecked) {
  CartesianGrid const grid({2, 2});
  Stencil const stencil = Stencil::nearest(2);
  Stencil const line = Stencil::nearest(1);
  Places const places({groups(4, 2)});
  Places const more({groups(5, 2)});
  EXPECT_NO_THROW(check({grid, stencil, places}));
  EXPECT_THROW(check({grid, line, places}), Error);
  EXPECT_THROW(check({grid, stencil, more}), Error);
}

}  // namespace
}  // namespace espalier::mapping
