// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/neighborhood/neighborhood.hpp"
#include "tests/support/neighborhoods.hpp"

namespace espalier::neighborhood {
namespace {

using Ends = std::vector<End>;

TEST(NeighborhoodEdges, FollowTheOrderOfMpiOnGrids) {
  Neighborhood const all = Neighborhood::of_cartesian(test::grid_of({2, 3}, 2));
  // Rank 0 = (0, 0): nothing above, (1, 0) below, (0, 2) and (0, 1) beside.
  EXPECT_EQ(all.out_edges(0), (Ends{{}, {3, 0}, {2, 3}, {1, 2}}));
  EXPECT_EQ(all.in_edges(0), (Ends{{}, {3, 0}, {2, 3}, {1, 2}}));
}

TEST(NeighborhoodEdges, TellTheTwoNeighboursOfSmallRingsApart) {
  Neighborhood const two = Neighborhood::of_cartesian(test::grid_of({2}, 1));
  // What rank 0 sends to -1 arrives at rank 1 as what comes from +1.
  EXPECT_EQ(two.out_edges(0), (Ends{{1, 1}, {1, 0}}));
  EXPECT_EQ(two.in_edges(1), (Ends{{0, 1}, {0, 0}}));
  Neighborhood const one = Neighborhood::of_cartesian(test::grid_of({1}, 1));
  EXPECT_EQ(one.out_edges(0), (Ends{{0, 1}, {0, 0}}));
}

TEST(NeighborhoodEdges, OfStencilsComeFromTheOppositeSide) {
  Neighborhood const all =
      Neighborhood::of_stencil(test::grid_of({5}, 0), test::Offsets{{2}, {-1}});
  EXPECT_EQ(all.out_edges(1), (Ends{{3, 0}, {0, 1}}));
  EXPECT_EQ(all.in_edges(1), (Ends{{}, {2, 1}}));
  EXPECT_EQ(all.out_edges(4), (Ends{{}, {3, 1}}));
  EXPECT_EQ(all.isomorphic()->num_edges(), 2);
}

TEST(NeighborhoodEdges, OfListsMatchOneAfterTheOther) {
  Neighborhood const all = Neighborhood::of_lists({{1, 1, 0}, {0, -1}}, {{1, -1, 0}, {0, 0}});
  EXPECT_EQ(all.in_edges(0), (Ends{{1, 0}, {1, 1}, {0, 2}}));
  EXPECT_EQ(all.out_edges(0), (Ends{{1, 0}, {}, {0, 2}}));
  EXPECT_EQ(all.out_edges(1), (Ends{{0, 0}, {0, 1}}));
  EXPECT_EQ(all.isomorphic(), nullptr);
}

/// Both ends of every edge say the same.
void check_ends(Neighborhood const& all, std::string const& name) {
  for (int rank = 0; rank < all.num_ranks(); ++rank) {
    Ends const out = all.out_edges(rank);
    for (std::size_t k = 0; k < out.size(); ++k) {
      if (!out[k].is_absent()) {
        End const back = all.in_edges(out[k].peer)[static_cast<std::size_t>(out[k].index)];
        EXPECT_EQ(back, (End{rank, static_cast<int>(k)})) << name;
      }
    }
  }
}

TEST(NeighborhoodEdges, HaveTwoEnds) {
  for (unsigned periods = 0; periods < 8; ++periods) {
    for (auto const& the : test::on_grid({1, 2, 4}, periods)) {
      check_ends(the.neighborhood, the.name);
    }
  }
  for (int p = 1; p < 8; ++p) {
    check_ends(test::random_graph(p, 3 * p, 5), "graph");
  }
}

std::string complaint(
    std::vector<std::vector<int>> const& sources, std::vector<std::vector<int>> const& destinations
) {
  try {
    static_cast<void>(Neighborhood::of_lists(sources, destinations));
  } catch (Error const& error) {
    return error.what();
  }
  return "";
}

TEST(NeighborhoodEdges, AreListedAtBothEnds) {
  EXPECT_NE(complaint({{}, {}}, {{1}, {}}).find("rank 0 to list 1"), std::string::npos);
  EXPECT_NE(complaint({{}, {0}}, {{}, {}}).find("rank 0 to list 1"), std::string::npos);
  EXPECT_NE(complaint({{1}, {1}}, {{}, {0, 0}}).find("rank 1 to list 0"), std::string::npos);
  EXPECT_NE(complaint({{2}, {}}, {{}, {}}).find("0 .. 1"), std::string::npos);
  EXPECT_NE(complaint({{}}, {{}, {}}).find("got 1 and 2"), std::string::npos);
}

TEST(NeighborhoodEdges, AreRefusedWhereNotKnown) {
  Neighborhood const one = Neighborhood::of_one_rank(4, 2, {{0, 0}}, {{3, 1}});
  EXPECT_FALSE(one.knows_all());
  EXPECT_EQ(one.in_edges(2), (Ends{{0, 0}}));
  EXPECT_THROW(static_cast<void>(one.in_edges(0)), Error);
  EXPECT_THROW(static_cast<void>(one.in_edges(4)), Error);
  EXPECT_THROW(static_cast<void>(Neighborhood::of_one_rank(4, 4, {}, {})), Error);
  EXPECT_THROW(static_cast<void>(Neighborhood::of_one_rank(4, 2, {{4, 0}}, {})), Error);
  EXPECT_THROW(
      static_cast<void>(
          Neighborhood::of_stencil(test::grid_of({2, 2}, 0), test::Offsets{{0, (1 << 30) + 1}})
      ),
      Error
  );
  EXPECT_THROW(
      static_cast<void>(Neighborhood::of_stencil(test::grid_of({2, 2}, 0), test::Offsets{{1}})),
      Error
  );
}

}  // namespace
}  // namespace espalier::neighborhood
