// SPDX-License-Identifier: Apache-2.0

/// @file
/// Groups of ranks, and collectives that run on them: layouts of two and three factors, nodes of
/// different sizes, every root.

#include "espalier/algorithms/composed/groups.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/composed/orthogonal.hpp"
#include "espalier/algorithms/composed/rows.hpp"
#include "espalier/verify/verify.hpp"

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

TEST(Rows, HaveTheSizesThatAreGiven) {
  Rows const rows({.begin = 2, .size = 11}, std::vector{5, 1, 5});
  EXPECT_EQ(rows.row(0), (algorithms::RankRange{2, 5}));
  EXPECT_EQ(rows.row(1), (algorithms::RankRange{7, 1}));
  EXPECT_EQ(rows.row(2), (algorithms::RankRange{8, 5}));
  EXPECT_EQ(rows.row_of(6), 0);
  EXPECT_EQ(rows.row_of(7), 1);
  EXPECT_EQ(rows.row_of(8), 2);
  EXPECT_EQ(rows.smallest(), 1);
  EXPECT_EQ(rows.largest(), 5);
  EXPECT_EQ(rows.counterpart(5, 1), 7);
  EXPECT_EQ(rows.counterpart(5, 2), 11);
}

Groups groups(int p, std::string const& arguments, int root = 0) {
  return Groups::parse({.num_ranks = p, .root = root, .arguments = Arguments::parse(arguments)});
}

TEST(Groups, HaveAboutRootOfPRowsIfNotSaid) {
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
    EXPECT_EQ(groups(p, "").num_rows, std::vector{expected}) << "p = " << p;
  }
}

TEST(Groups, KnowTheirLeavesAtEveryDepth) {
  Groups const unequal = groups(11, "[rows=2x2]");  // 6 + 5 -> 3 3 3 2
  EXPECT_EQ(unequal.leaf_sizes(), (std::vector{2, 3}));
  EXPECT_FALSE(unequal.has_equal_leaves());
  EXPECT_TRUE(unequal.has_unequal_rows(0));
  EXPECT_TRUE(unequal.has_unequal_rows(1));
  std::vector<int> begins;
  for (int rank = 0; rank < 11; rank = unequal.leaf_of(rank).end()) {
    begins.push_back(unequal.leaf_of(rank).begin);
  }
  EXPECT_EQ(begins, (std::vector{0, 3, 6, 9}));
  EXPECT_FALSE(groups(10, "[rows=2x5]").has_unequal_rows(1));
  EXPECT_TRUE(groups(12, "[rows=2x3]").has_equal_leaves());
}

TEST(Groups, TakeTheSizesOfNodesAndCutThemFurther) {
  Groups const nodes = groups(20, "[sizes=8x8x4,rows=2]");
  EXPECT_EQ(nodes.refuses(), "");
  EXPECT_EQ(nodes.num_rows, (std::vector{3, 2}));
  EXPECT_EQ(nodes.run_sizes(1), (std::vector{4, 8}));
  EXPECT_EQ(nodes.leaf_sizes(), (std::vector{2, 4}));
  EXPECT_EQ(nodes.most_surplus(0), 4);
  EXPECT_EQ(nodes.leaf_of(13), (algorithms::RankRange{12, 4}));
  EXPECT_EQ(nodes.leaf_of(19), (algorithms::RankRange{18, 2}));
  EXPECT_EQ(nodes.representatives(19, 6), (std::vector{6, 19, 19}));
  EXPECT_EQ(groups(21, "[sizes=8x8x4]").refuses(), "sizes=8x8x4 needs 20 ranks, got 21");
  EXPECT_NE(groups(20, "[sizes=8x8x4,rows=5]").refuses(), "");
}

TEST(Groups, NameEveryShapeOnce) {
  Groups const nodes = groups(20, "[sizes=8x8x4]");
  EXPECT_EQ(nodes.shapes(1, 6), (std::vector<GroupShape>{{4, 3}, {8, 6}}));
  EXPECT_EQ(nodes.shapes_across(0, 17), (std::vector<GroupShape>{{3, 2}}));
  EXPECT_EQ(groups(1 << 20, "").shapes(1, 5), (std::vector<GroupShape>{{1024, 5}}));
}

TEST(Lanes, CutLargerRowsIntoPiecesThatTheRootMayLead) {
  Groups const nodes = groups(12, "[sizes=5x2x5]");
  Lanes const lanes(nodes.cut({.begin = 0, .size = 12}, 0), 2, 9);
  EXPECT_FALSE(lanes.are_single());
  EXPECT_EQ(lanes.piece(0, 0), (algorithms::RankRange{0, 3}));
  EXPECT_EQ(lanes.piece(0, 1), (algorithms::RankRange{3, 2}));
  EXPECT_EQ(lanes.piece(1, 1), (algorithms::RankRange{6, 1}));
  EXPECT_EQ(lanes.leader(2, 0), 9);
  EXPECT_EQ(lanes.leader(2, 1), 10);
  EXPECT_EQ(lanes.lane_of(4), 1);
  EXPECT_EQ(lanes.lane_size(0), 3 + 1 + 3);
  EXPECT_EQ(lanes.lane_offset(2, 0), 3 + 1);
  EXPECT_EQ(lanes.piece_shapes(), (std::vector<GroupShape>{{1, 0}, {2, 0}, {3, 0}, {3, 2}}));
}

TEST(Choice, KnowsRoundsWithoutOtherFacts) {
  for (Choice const& choice : algorithms::variants(schedule::Collective::reduce, 13)) {
    for (int const root : {0, 5}) {
      EXPECT_EQ(choice.num_rounds(13, root), choice.facts(13, root).rounds) << choice.text();
    }
  }
}

void expect_proved(std::string const& text, int p, int root) {
  Choice const choice = Choice::parse(text);
  auto const verdict = verify::prove(choice, p, root);
  EXPECT_TRUE(verdict.holds()) << text << ", p = " << p << ", root " << root << ": "
                               << verdict.violation->text;
}

/// The layouts with two factors, in both orders, and those with three that the source names.
std::vector<std::string> layouts(int p) {
  std::vector<std::string> result;
  for (int rows = 2; rows <= p / 2; ++rows) {
    if (p % rows == 0) {
      result.push_back("rows=" + std::to_string(rows));
    }
  }
  for (std::string const rows : {"2x8", "4x4", "8x2"}) {
    result.push_back("rows=" + rows);
  }
  return result;
}

std::vector<std::string> const orthogonal_collectives{
    "bcast", "scatter", "gather", "reduce", "allreduce", "allgather"
};

TEST(OrthogonalCollectives, WorkOnTheLayoutsOfTheSource) {
  for (int const p : {32, 48, 96}) {
    for (std::string const& rows : layouts(p)) {
      for (std::string const& collective : orthogonal_collectives) {
        std::string const text = collective + "/orthogonal[" + rows + "]";
        bool const is_rooted = schedule::has_root(parse_collective(collective));
        expect_proved(text, p, is_rooted ? p / 3 : 0);
      }
    }
  }
}

/// Entries that take `sizes`, all but those that stand for the same program.
std::vector<std::string> entries_with_sizes() {
  std::vector<std::string> result;
  for (Algorithm const* algorithm : catalog()) {
    for (Parameter const& parameter : algorithm->parameters) {
      if (parameter.name == "sizes") {
        result.push_back(
            std::string(to_string(algorithm->collective)) + "/" + std::string(algorithm->name)
        );
      }
    }
  }
  return result;
}

TEST(Composites, WorkOnNodesOfDifferentSizesForEveryRoot) {
  for (std::string const& entry : entries_with_sizes()) {
    Choice const choice = Choice::parse(entry);
    for (auto const& [sizes, p] : std::vector<std::pair<std::string, int>>{
             {"4x4x2", 10}, {"1x5x3", 9}, {"3x1x1x4", 9}, {"7x2", 9}, {"6", 6}
         }) {
      int const num_roots = schedule::has_root(choice.collective()) ? p : 1;
      for (int root = 0; root < num_roots; ++root) {
        expect_proved(entry + "[sizes=" + sizes + "]", p, root);
      }
    }
  }
}

TEST(Hierarchies, HaveAnyNumberOfLevels) {
  for (std::string const entry :
       {"barrier/hierarchical",
        "allreduce/hierarchical",
        "allgather/hierarchical",
        "scan/hierarchical",
        "exscan/hierarchical",
        "bcast/orthogonal",
        "gather/orthogonal",
        "scatter/orthogonal",
        "reduce/orthogonal",
        "allreduce/orthogonal"}) {
    for (std::string const groups : {"sizes=8x8x5,rows=2", "rows=2x2x2", "sizes=9x12,rows=3x2"}) {
      expect_proved(entry + "[" + groups + "]", 21, 0);
    }
  }
}

/// Of the ranks of a row only `num_lanes` talk to other rows.
TEST(MultiLane, CrossesRowsInItsLanesOnly) {
  Rows const rows({.begin = 0, .size = 24}, 4);
  for (std::string const collective :
       {"bcast", "scatter", "gather", "reduce", "allreduce", "allgather", "reduce_scatter"}) {
    for (int num_lanes = 1; num_lanes <= 6; ++num_lanes) {
      Choice const choice =
          Choice::parse(collective + "/multi_lane[rows=4,lanes=" + std::to_string(num_lanes) + "]");
      std::set<int> crossing;
      for (int rank = 0; rank < 24; ++rank) {
        for (schedule::Operation const& operation : choice.generate(24, 0, rank).operations) {
          if (operation.peer >= 0 && rows.row_of(operation.peer) != rows.row_of(rank)) {
            EXPECT_EQ((operation.peer - rank) % 6, 0);
            crossing.insert(rank % 6);
          }
        }
      }
      EXPECT_EQ(static_cast<int>(crossing.size()), num_lanes) << choice.text();
    }
  }
}

TEST(NodeAwareAlltoall, SendsOneMessageToEachOtherRowPerRank) {
  Choice const choice = Choice::parse("alltoall/node_aware[rows=4]");
  Rows const rows({.begin = 0, .size = 24}, 4);
  std::int64_t crossing = 0;
  for (schedule::Operation const& operation : choice.generate(24, 0, 7).operations) {
    if (operation.kind == schedule::Kind::send && rows.row_of(operation.peer) != 1) {
      ++crossing;
    }
  }
  EXPECT_EQ(crossing, 3);
  EXPECT_EQ(choice.facts(24, 0).messages, 3 + 5);
  EXPECT_EQ(choice.facts(24, 0).blocks, 3 * 6 + 5 * 4);
}

TEST(Composites, RefuseWithAReason) {
  auto const reason = [](std::string const& text, int p) {
    return Choice::parse(text).refuses(p, 0);
  };
  EXPECT_NE(reason("allreduce/multi_lane[rows=2x2]", 8), "");
  EXPECT_NE(reason("allreduce/multi_lane[sizes=4x2,lanes=3]", 6), "");
  EXPECT_NE(reason("alltoall/node_aware[sizes=4x2,lane=bruck]", 6), "");
  EXPECT_EQ(reason("alltoall/node_aware[rows=2,lane=bruck]", 6), "");
  EXPECT_NE(reason("gather/orthogonal[inner=orthogonal]", 6), "");
}

/// Ranks that were dealt to nodes, and pipelines that send a segment at a time.
TEST(CommonArguments, KeepSchedulesTrue) {
  for (std::string const text : {
           "allgather/ring[dealt=3]",
           "allgather/orthogonal[sizes=4x4x2,inner=bruck,across=ring,dealt=4x4x2]",
           "gather/orthogonal[rows=5,dealt=5]",
           "alltoall/node_aware[rows=5,dealt=5]",
           "barrier/hierarchical[rows=5,dealt=5]",
           "reduce/in_order_binary[dealt=5]",
           "allreduce/rabenseifner[dealt=3]",
           "bcast/orthogonal[rows=5,inner=chain,across=chain,segments=7,burst=1,dealt=5]",
           "reduce/chain[segments=5,burst=1]",
       }) {
    Choice const choice = Choice::parse(text);
    for (int root = 0; root < 10; root += schedule::has_root(choice.collective()) ? 3 : 10) {
      expect_proved(text, 10, root);
    }
  }
}

}  // namespace
}  // namespace espalier::algorithms
