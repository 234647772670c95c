// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/topologies/grid_candidates.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::plan {
namespace {

using mapping::CartesianGrid;
using mapping::Places;
using mapping::RankVector;

/// Nodes of so many ranks, filled one after the other.
Places nodes_of(int num_ranks, int per_node) {
  std::vector<int> nodes;
  for (int rank = 0; rank < num_ranks; ++rank) {
    nodes.push_back(rank / per_node);
  }
  return Places({{.name = "node", .group_of_rank = std::move(nodes), .cost = 1}});
}

/// A clock that goes on by one each time it is read.
std::function<double()> ticking() {
  return [time = 0.0]() mutable { return ++time; };
}

TEST(GridCandidates, StartWithTheIdentityAndDiffer) {
  CandidateTimes times;
  auto const found = grid_candidates(CartesianGrid({8, 8}), nodes_of(64, 8), 4, ticking(), times);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found.front().name, "identity");
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(mapping::refuses(found[i].rank_at, 64).empty());
    for (std::size_t k = 0; k < i; ++k) {
      EXPECT_NE(found[i].rank_at, found[k].rank_at);
    }
  }
  // Walks, then rank vectors, then scores: each between two readings.
  EXPECT_EQ(times.rearrange, 1.0);
  EXPECT_EQ(times.choose, 2.0);
}

TEST(GridCandidates, AreNoMoreThanWanted) {
  CandidateTimes times;
  auto const found = grid_candidates(CartesianGrid({4, 4}), nodes_of(16, 4), 1, ticking(), times);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().name, "identity");
}

// The worked example of the source: rows of the grid, nodes of four cores as squares.
TEST(GridCandidates, TilesAsPublished) {
  GridCandidate const tile = grid_candidate("tile", CartesianGrid({4, 4}), nodes_of(16, 4));
  EXPECT_EQ(tile.rank_at, (RankVector{0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15}));
}

TEST(GridCandidates, RefuseWhatIsNotKnown) {
  EXPECT_THROW(
      static_cast<void>(grid_candidate("spiral", CartesianGrid({4}), nodes_of(4, 2))), Error
  );
  EXPECT_THROW(
      static_cast<void>(grid_candidate("identity", CartesianGrid({4}), nodes_of(6, 2))), Error
  );
}

}  // namespace
}  // namespace espalier::plan
