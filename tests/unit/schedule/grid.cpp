// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/grid.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::schedule {
namespace {

/// MPI_Cart_create numbers a 2 x 3 x 4 grid so that rank 23 is (1, 2, 3).
TEST(Grid, NumbersTheLastDimensionFastest) {
  Grid const grid({2, 3, 4});
  EXPECT_EQ(grid.num_ranks(), 24);
  for (int rank = 0; rank < 24; ++rank) {
    EXPECT_EQ(grid.coordinate(rank, 0), rank / 12);
    EXPECT_EQ(grid.coordinate(rank, 1), rank / 4 % 3);
    EXPECT_EQ(grid.coordinate(rank, 2), rank % 4);
  }
}

TEST(Grid, FindsTheRanksOfALine) {
  Grid const grid({2, 3, 4});
  EXPECT_EQ(grid.rank_on_line(6, 0, 1), 18);
  EXPECT_EQ(grid.rank_on_line(6, 1, 2), 10);
  EXPECT_EQ(grid.rank_on_line(6, 2, 0), 4);
}

TEST(Grid, RefusesSizesThatAreNoGrid) {
  EXPECT_THROW(Grid({}), Error);
  EXPECT_THROW(Grid({2, 0}), Error);
}

TEST(OntoLine, RenamesPeersOnly) {
  Frame const frame{
      .num_ranks = 3,
      .num_output_blocks = 3,
      .input_like = {},
      .scratch_like = {},
      .output_like = {},
  };
  Builder builder(frame, 1);
  builder.recv(0, blocks(0)).send(2, blocks(1));
  Grid const grid({2, 3, 4});
  RankProgram const program = onto_line(std::move(builder).finish(), grid, 18, 1);
  EXPECT_EQ(program.operations[0].peer, 14);
  EXPECT_EQ(program.operations[1].peer, 22);
  EXPECT_EQ(program.rank, 1);
  EXPECT_EQ(program.frame.num_ranks, 3);
}

}  // namespace
}  // namespace espalier::schedule
