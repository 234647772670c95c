// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/composed/orthogonal.hpp"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/algorithms/composed/rows.hpp"

namespace espalier::algorithms {
namespace {

/// The rank pairs between which a choice sends.
std::set<std::pair<int, int>> pairs(Choice const& choice, int p, int root) {
  std::set<std::pair<int, int>> result;
  for (int rank = 0; rank < p; ++rank) {
    for (schedule::Operation const& operation : choice.generate(p, root, rank).operations) {
      if (operation.kind == schedule::Kind::send) {
        result.insert({rank, operation.peer});
      }
    }
  }
  return result;
}

/// Rows can be nodes: between rows only ranks at the same place talk, whatever the root.
TEST(Orthogonal, CrossesRowsOnlyAtTheSamePlace) {
  Rows const rows({.begin = 0, .size = 24}, 4);
  for (std::string const text :
       {"allgather/orthogonal[rows=4,inner=bruck]",
        "bcast/orthogonal[rows=4,inner=k_nomial]",
        "bcast/orthogonal[rows=4,inner=scatter_allgather]",
        "scatter/orthogonal[rows=4]",
        "gather/orthogonal[rows=4]",
        "reduce/orthogonal[rows=4]",
        "allreduce/orthogonal[rows=4]",
        "reduce_scatter/orthogonal[rows=4]",
        "alltoall/node_aware[rows=4]"}) {
    Choice const choice = Choice::parse(text);
    for (int root = 0; root < (schedule::has_root(choice.collective()) ? 24 : 1); ++root) {
      int num_crossing = 0;
      for (auto const& [source, target] : pairs(choice, 24, root)) {
        if (rows.row_of(source) != rows.row_of(target)) {
          EXPECT_EQ((source - target) % 6, 0) << text << ": " << source << " to " << target;
          ++num_crossing;
        }
      }
      EXPECT_GT(num_crossing, 0);
    }
  }
}

TEST(OrthogonalBcast, EntersEveryOtherRowOnceWithOneBlock) {
  for (int const p : {12, 13, 14}) {
    Rows const rows({.begin = 0, .size = p}, 4);
    Choice const choice = Choice::parse("bcast/orthogonal[rows=4]");
    for (int root = 0; root < p; ++root) {
      std::multiset<int> entered;
      for (auto const& [source, target] : pairs(choice, p, root)) {
        if (rows.row_of(source) != rows.row_of(target)) {
          EXPECT_EQ(target, rows.counterpart(root, rows.row_of(target)));
          entered.insert(rows.row_of(target));
        }
      }
      std::multiset<int> expected{0, 1, 2, 3};
      expected.erase(rows.row_of(root));
      EXPECT_EQ(entered, expected) << "p = " << p << ", root " << root;
    }
  }
}

TEST(OrthogonalAllgather, ServesTheLastRankOfALargerRowFromItsOwnRow) {
  // Rows 0-3, 4-7, 8-10: ranks 3 and 7 have no partner in the last row.
  Choice const choice = Choice::parse("allgather/orthogonal[rows=3]");
  for (int const rank : {3, 7}) {
    schedule::RankProgram const program = choice.generate(11, 0, rank);
    std::int64_t received = 0;
    for (schedule::Operation const& operation : program.operations) {
      EXPECT_EQ(operation.peer / 4, rank / 4);
      if (operation.kind == schedule::Kind::recv && operation.round == 3 + 2) {
        received += num_blocks(program.slots(operation));
        EXPECT_LE(num_blocks(program.slots(operation)), 3);
      }
    }
    EXPECT_EQ(received, 7);
  }
}

TEST(OrthogonalBcast, CutsTheMessageIntoPiecesThatSuitAllPhases) {
  auto const pieces = [](std::string const& arguments, int p) {
    return Choice::parse("bcast/orthogonal" + arguments).num_pieces(p);
  };
  EXPECT_EQ(pieces("[rows=4]", 24), 1);
  EXPECT_EQ(pieces("[rows=4,segments=8]", 24), 8);
  EXPECT_EQ(pieces("[rows=4,inner=scatter_allgather]", 24), 12);
  EXPECT_EQ(pieces("[rows=4,inner=scatter_allgather]", 27), 4 * 7 * 3);  // rows of 7 and 6
  EXPECT_EQ(pieces("[rows=4,inner=scatter_allgather,across=binomial]", 24), 6);
}

}  // namespace
}  // namespace espalier::algorithms
