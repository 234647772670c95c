// SPDX-License-Identifier: Apache-2.0

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/algorithms/orthogonal.hpp"
#include "espalier/algorithms/rows.hpp"

namespace espalier::algorithms {
namespace {

TEST(Rows, CutARunIntoNearlyEqualPartsInOrder) {
  for (int size = 1; size <= 40; ++size) {
    for (int num_rows = 1; num_rows <= size; ++num_rows) {
      Rows const rows({.begin = 7, .size = size}, num_rows);
      int next = 7;
      for (int i = 0; i < num_rows; ++i) {
        auto const row = rows.row(i);
        EXPECT_EQ(row.begin, next);
        EXPECT_GE(row.size, rows.smallest());
        EXPECT_LE(row.size, rows.smallest() + (rows.are_equal() ? 0 : 1));
        for (int rank = row.begin; rank < row.end(); ++rank) {
          EXPECT_EQ(rows.row_of(rank), i);
        }
        next = row.end();
      }
      EXPECT_EQ(next, 7 + size);
    }
  }
}

TEST(Rows, FindTheCounterpartInAnotherRow) {
  Rows const rows({.begin = 0, .size = 11}, 3);  // 4, 4, 3
  EXPECT_EQ(rows.counterpart(1, 1), 5);
  EXPECT_EQ(rows.counterpart(5, 0), 1);
  EXPECT_EQ(rows.counterpart(3, 1), 7);
  EXPECT_EQ(rows.counterpart(3, 2), 10);  // the row is shorter: its last rank
  EXPECT_EQ(rows.counterpart(10, 0), 2);
  EXPECT_EQ(rows.counterpart(9, 2), 9);
}

Orthogonal layout(int p, std::string const& arguments) {
  return Orthogonal::parse(
      Collective::allgather,
      {.num_ranks = p, .root = 0, .arguments = Arguments::parse(arguments)},
      "ring"
  );
}

TEST(OrthogonalLayout, HasAboutRootOfPRowsIfNotSaid) {
  std::vector<std::pair<int, int>> const rows{
      {1, 1},
      {2, 1},
      {3, 1},
      {4, 2},
      {6, 2},
      {7, 2},
      {12, 3},
      {13, 3},
      {24, 4},
      {64, 8},
      {94, 9},
      {96, 8},
      {127, 11},
      {1 << 20, 1024}
  };
  for (auto const& [p, expected] : rows) {
    EXPECT_EQ(layout(p, "").num_rows, std::vector{expected}) << "p = " << p;
  }
}

TEST(OrthogonalLayout, KnowsItsLeavesAtEveryDepth) {
  Orthogonal const unequal = layout(11, "[rows=2x2]");  // 6 + 5 -> 3 3 3 2
  EXPECT_EQ(unequal.leaf_sizes(), (std::vector{2, 3}));
  EXPECT_FALSE(unequal.has_equal_leaves());
  EXPECT_TRUE(unequal.has_unequal_rows(0));
  EXPECT_TRUE(unequal.has_unequal_rows(1));
  std::vector<int> begins;
  for (int rank = 0; rank < 11; rank = unequal.leaf_of(rank).end()) {
    begins.push_back(unequal.leaf_of(rank).begin);
  }
  EXPECT_EQ(begins, (std::vector{0, 3, 6, 9}));
  EXPECT_FALSE(layout(10, "[rows=2x5]").has_unequal_rows(1));
  EXPECT_TRUE(layout(12, "[rows=2x3]").has_equal_leaves());
}

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
        "bcast/orthogonal[rows=4,inner=scatter_allgather]"}) {
    Choice const choice = Choice::parse(text);
    for (int root = 0; root < (choice.collective() == Collective::bcast ? 24 : 1); ++root) {
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
