// SPDX-License-Identifier: Apache-2.0

#include "espalier/neighborhood/recognition.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/neighborhood/parts.hpp"
#include "tests/support/neighborhoods.hpp"

namespace espalier::neighborhood {
namespace {

using Lists = std::vector<std::vector<int>>;

bool is_connected(Neighborhood const& all) {
  Parts parts(all.num_ranks());
  for (int rank = 0; rank < all.num_ranks(); ++rank) {
    for (End const& end : all.out_edges(rank)) {
      if (!end.is_absent()) {
        parts.join(rank, end.peer);
      }
    }
  }
  return parts.num() == 1;
}

/// How often each edge out of each rank is to be one of the stencil: once.
Lists once_each(Neighborhood const& graph) {
  Lists counts;
  for (int rank = 0; rank < graph.num_ranks(); ++rank) {
    counts.emplace_back(graph.out_edges(rank).size(), 1);
  }
  return counts;
}

/// Both ends of the edges of the stencil are edges of the graph, each so often.
void check_numbers(Neighborhood const& graph, std::string const& name, Lists const& counts) {
  Isomorphic const& all = *graph.isomorphic();
  EXPECT_FALSE(all.has_common_order()) << name;
  for (int rank = 0; rank < graph.num_ranks(); ++rank) {
    std::vector<End> const out = graph.out_edges(rank);
    std::vector<int> found(out.size());
    for (int k = 0; k < all.num_edges(); ++k) {
      int const peer = all.grid.shifted(rank, all.offsets[static_cast<std::size_t>(k)]);
      if (peer >= 0) {
        auto const number = static_cast<std::size_t>(all.out_number(rank, k));
        ++found.at(number);
        EXPECT_EQ(out[number], (End{.peer = peer, .index = all.in_number(peer, k)})) << name;
      }
    }
    EXPECT_EQ(found, counts[static_cast<std::size_t>(rank)]) << name << ", rank " << rank;
  }
}

int check_grid(std::vector<int> const& extents, unsigned periods) {
  int num_found = 0;
  for (test::NamedNeighborhood const& the : test::on_grid(extents, periods)) {
    Neighborhood const graph = test::shuffled(the.neighborhood, periods);
    EXPECT_EQ(graph.isomorphic(), nullptr) << "nobody has looked";
    Neighborhood const known = Neighborhood::recognised(graph);
    EXPECT_EQ(known.isomorphic() != nullptr, is_connected(graph)) << the.name;
    for (int rank = 0; rank < graph.num_ranks(); ++rank) {
      EXPECT_EQ(known.out_edges(rank), graph.out_edges(rank)) << the.name;
      EXPECT_EQ(known.in_edges(rank), graph.in_edges(rank)) << the.name;
    }
    if (known.isomorphic() != nullptr) {
      check_numbers(known, the.name, once_each(known));
      ++num_found;
    }
  }
  return num_found;
}

TEST(NeighborhoodRecognition, FindsStencilsWhateverTheOrderOfTheirEdges) {
  int num_found = 0;
  for (std::vector<int> const& extents : std::vector<std::vector<int>>{
           {2},
           {3},
           {11},
           {2, 2},
           {3, 2},
           {1, 6},
           {4, 5},
           {10, 10},
           {2, 2, 2},
           {2, 3, 4},
           {3, 1, 4},
           {7, 7, 7},
           {2, 2, 2, 2},
           {3, 4, 2, 3},
           {4, 4, 4, 4},
       }) {
    for (unsigned periods = 0; periods < 1U << extents.size(); ++periods) {
      num_found += check_grid(extents, periods);
    }
  }
  EXPECT_GT(num_found, 250);
}

TEST(NeighborhoodRecognition, FindsTheGridThatWasMeant) {
  struct Row {
    std::vector<int> extents;
    unsigned periods;
  };

  for (Row const& row :
       {Row{{5, 4}, 0}, Row{{4, 5}, 1}, Row{{16, 4}, 2}, Row{{4, 3, 5}, 5}, Row{{3, 4, 4, 3}, 6}}) {
    auto const grid = test::grid_of(row.extents, row.periods);
    auto const declared =
        Neighborhood::of_stencil(grid, test::offsets_of("full", grid.num_dimensions()));
    Neighborhood const known = Neighborhood::recognised(test::shuffled(declared, 3));
    ASSERT_NE(known.isomorphic(), nullptr);
    EXPECT_EQ(known.isomorphic()->grid, grid) << test::to_text(row.extents, row.periods);
  }
}

TEST(NeighborhoodRecognition, TakesTheGridInWhichCombiningSendsLeast) {
  // Everybody talks to everybody: a ring of eight as well as a cube.
  auto const ring = Neighborhood::of_stencil(
      test::grid_of({8}, 1), test::Offsets{{1}, {2}, {3}, {4}, {5}, {6}, {7}}
  );
  Neighborhood const known = Neighborhood::recognised(test::shuffled(ring, 1));
  ASSERT_NE(known.isomorphic(), nullptr);
  EXPECT_EQ(known.isomorphic()->grid, test::grid_of({2, 2, 2}, 7));
}

TEST(NeighborhoodRecognition, SkipsAbsentEnds) {
  Lists const lists{{-1, 1}, {2, 0, -1}, {1}};
  Neighborhood const known = Neighborhood::recognised(Neighborhood::of_lists(lists, lists));
  ASSERT_NE(known.isomorphic(), nullptr);
  EXPECT_EQ(known.isomorphic()->grid, test::grid_of({3}, 0));
  check_numbers(known, "line", {{0, 1}, {1, 1, 0}, {1}});
}

TEST(NeighborhoodRecognition, LeavesGridsAndSingleRanksAsTheyAre) {
  Neighborhood const grid =
      Neighborhood::recognised(Neighborhood::of_cartesian(test::grid_of({4, 2}, 1)));
  EXPECT_TRUE(grid.isomorphic()->has_common_order());
  Neighborhood const one = Neighborhood::of_one_rank(3, 1, {{.peer = 0, .index = 0}}, {});
  EXPECT_EQ(Neighborhood::recognised(one).isomorphic(), nullptr);
  Lists const own{{0, 0}};
  EXPECT_EQ(Neighborhood::recognised(Neighborhood::of_lists(own, own)).isomorphic(), nullptr)
      << "a communicator of one rank";
}

Lists destinations_of(Neighborhood const& all) {
  Lists lists;
  for (int rank = 0; rank < all.num_ranks(); ++rank) {
    std::vector<int>& peers = lists.emplace_back();
    for (End const& end : all.out_edges(rank)) {
      peers.push_back(end.peer);
    }
  }
  return lists;
}

Neighborhood recognised_of(Lists const& destinations) {
  Lists sources(destinations.size());
  for (std::size_t from = 0; from < destinations.size(); ++from) {
    for (int const to : destinations[from]) {
      sources[static_cast<std::size_t>(to)].push_back(static_cast<int>(from));
    }
  }
  return Neighborhood::recognised(Neighborhood::of_lists(sources, destinations));
}

bool is_recognised(Lists const& destinations) {
  return recognised_of(destinations).isomorphic() != nullptr;
}

/// With any one edge of a rank missing, there twice, or to the rank itself.
void check_near_misses(Lists const& all, std::size_t rank, std::string const& name) {
  for (std::size_t k = 0; k < all[rank].size(); ++k) {
    std::string const edge = name + ", edge " + std::to_string(k) + " of " + std::to_string(rank);
    Lists changed = all;
    changed[rank].erase(changed[rank].begin() + static_cast<std::ptrdiff_t>(k));
    EXPECT_FALSE(is_recognised(changed)) << edge << " is missing";
    changed = all;
    changed[rank].push_back(changed[rank][k]);
    EXPECT_FALSE(is_recognised(changed)) << edge << " is there twice";
    changed = all;
    changed[rank][k] = static_cast<int>(rank);
    EXPECT_FALSE(is_recognised(changed)) << edge << " is moved";
  }
}

TEST(NeighborhoodRecognition, RefusesWhatIsAlmostAStencil) {
  for (std::vector<int> const& extents :
       std::vector<std::vector<int>>{{9}, {5, 4}, {4, 3, 4}, {3, 3, 3, 3}}) {
    auto const all = Neighborhood::of_stencil(
        test::grid_of(extents, 0), test::offsets_of("full", static_cast<int>(extents.size()))
    );
    Lists const lists = destinations_of(test::shuffled(all, 1));
    ASSERT_TRUE(is_recognised(lists));
    for (std::size_t rank = 0; rank < lists.size(); rank += 1 + lists.size() / 5) {
      check_near_misses(lists, rank, test::to_text(extents, 0));
    }
  }
}

TEST(NeighborhoodRecognition, RefusesWhatIsAlmostAStencilOnATorus) {
  auto const all =
      Neighborhood::of_stencil(test::grid_of({5, 5, 4}, 7), test::offsets_of("full", 3));
  Lists const lists = destinations_of(test::shuffled(all, 1));
  ASSERT_TRUE(is_recognised(lists));
  check_near_misses(lists, 45, "inside");
}

TEST(NeighborhoodRecognition, FindsWhatIsAStencilOnAnotherGridOnly) {
  // On a torus of 5x4 the edge from the first rank to the last is one round both borders. Without
  // it, the others are still those of an open grid, with long offsets.
  auto const all = Neighborhood::of_stencil(test::grid_of({5, 4}, 3), test::offsets_of("full", 2));
  Lists lists = destinations_of(test::shuffled(all, 1));
  ASSERT_EQ(std::erase(lists[0], 19), 1U);
  Neighborhood const known = recognised_of(lists);
  ASSERT_NE(known.isomorphic(), nullptr);
  EXPECT_EQ(known.isomorphic()->grid, test::grid_of({5, 4}, 0));
  check_numbers(known, "5x4 without a corner", once_each(known));
}

TEST(NeighborhoodRecognition, RefusesTwoEdgesThatChangedTheirEnds) {
  auto const all = Neighborhood::of_stencil(test::grid_of({6, 5}, 3), test::offsets_of("full", 2));
  Lists lists = destinations_of(test::shuffled(all, 1));
  // Degrees stay as they were: 0 and 17 send to each other's neighbours.
  std::swap(lists[0][2], lists[17][2]);
  EXPECT_FALSE(is_recognised(lists));
}

TEST(NeighborhoodRecognition, RefusesGraphsWithoutOrder) {
  for (int const p : {7, 12, 64, 720}) {
    for (std::uint32_t seed = 1; seed < 6; ++seed) {
      Neighborhood const graph = test::random_graph(p, 4 * p, seed);
      EXPECT_EQ(Neighborhood::recognised(graph).isomorphic(), nullptr) << p;
    }
  }
}

TEST(NeighborhoodRecognition, RefusesSeveralParts) {
  auto const rows = Neighborhood::of_stencil(test::grid_of({2, 5}, 2), test::Offsets{{0, 1}});
  EXPECT_FALSE(is_recognised(destinations_of(rows)));
  EXPECT_FALSE(is_recognised(Lists(6)));
  // Blocks would travel through ranks that have no edge.
  auto const corners = Neighborhood::of_stencil(test::grid_of({3, 3}, 0), test::Offsets{{1, 1}});
  EXPECT_FALSE(is_recognised(destinations_of(test::shuffled(corners, 1))));
}

TEST(NeighborhoodRecognition, StopsWhenItHasLookedOftenEnough) {
  auto const all =
      Neighborhood::of_stencil(test::grid_of({4, 4, 3}, 0), test::offsets_of("full", 3));
  std::vector<std::vector<End>> out;
  std::int64_t num_edges = 0;
  for (int rank = 0; rank < all.num_ranks(); ++rank) {
    out.push_back(test::shuffled(all, 1).out_edges(rank));
    num_edges += std::ssize(out.back());
  }
  EXPECT_TRUE(recognise(out).has_value());
  EXPECT_FALSE(recognise(out, num_edges).has_value()) << "other grids were tried before";
  EXPECT_FALSE(recognise(out, num_edges - 1).has_value()) << "not even one look at each edge";
}

}  // namespace
}  // namespace espalier::neighborhood
