// SPDX-License-Identifier: Apache-2.0

#include "espalier/profile/decision.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/neighborhood/catalog.hpp"

namespace espalier::profile {
namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

struct Interval {
  std::int64_t min_bytes = 0;
  std::int64_t max_bytes = no_limit;
};

Rule make_rule(Shape shape, std::string const& algorithm, Interval interval = {}) {
  Rule rule{
      .call = Call::allgather,
      .shape = shape,
      .min_bytes = interval.min_bytes,
      .max_bytes = interval.max_bytes,
      .reason = algorithm + " is better",
  };
  if (algorithm != "native") {
    rule.choice = algorithms::Choice::parse(algorithms::Collective::allgather, algorithm);
  }
  return rule;
}

std::string name_of(Decision const& decision) {
  return decision.choice ? std::string(decision.choice->algorithm().name) : "native";
}

/// Algorithm for a shape and size.
std::string chosen(std::vector<Rule> const& rules, Shape shape, std::int64_t bytes = 100) {
  return name_of(DecisionTable(rules, Call::allgather, shape).at(bytes));
}

TEST(DecisionTable, UsesTheIntervalOfTheShape) {
  std::vector<Rule> const rules{
      make_rule({4, 1}, "ring", {4096, no_limit}),
      make_rule({4, 1}, "bruck", {0, 1023}),
      make_rule({8, 1}, "sparbit"),
  };
  DecisionTable const table(rules, Call::allgather, {4, 1});
  EXPECT_EQ(name_of(table.at(0)), "bruck");
  EXPECT_EQ(name_of(table.at(1023)), "bruck");
  EXPECT_EQ(name_of(table.at(4096)), "ring");
  EXPECT_EQ(name_of(table.at(no_limit)), "ring");
  EXPECT_EQ(table.at(4096).reason, "profile rule 0: ring is better");
  EXPECT_EQ(table.at(4096).rule, 0);
  EXPECT_FALSE(table.at(4096).is_borrowed);
  EXPECT_TRUE(table.chooses());
}

TEST(DecisionTable, SizesThatAnExactShapeLeavesOutAreNative) {
  std::vector<Rule> const rules{make_rule({4, 1}, "bruck", {0, 1023}), make_rule({8, 1}, "ring")};
  DecisionTable const table(rules, Call::allgather, {4, 1});
  EXPECT_FALSE(table.at(1024).choice);
  EXPECT_EQ(table.at(1024).reason, "no rule of the profile covers this");
  EXPECT_EQ(table.at(1024).rule, -1);
}

TEST(DecisionTable, RulesForThePlacementComeBeforeThoseForAny) {
  Shape const any{8, 2};
  Shape const block{8, 2, Placement::block};
  Shape const cyclic{8, 2, Placement::cyclic};
  std::vector<Rule> const rules{
      make_rule(any, "ring"), make_rule(block, "bruck", {100, 200}), make_rule(cyclic, "sparbit")
  };
  EXPECT_EQ(chosen(rules, block, 99), "ring") << "as profiles without placements did";
  EXPECT_EQ(chosen(rules, block, 100), "bruck");
  EXPECT_EQ(chosen(rules, block, 201), "ring");
  EXPECT_EQ(chosen(rules, cyclic), "sparbit");
  EXPECT_EQ(chosen(rules, {8, 2, Placement::other}), "ring");
  EXPECT_FALSE(DecisionTable(rules, Call::allgather, block).at(99).is_borrowed);
}

TEST(DecisionTable, NothingIsTakenFromAnotherPlacement) {
  std::vector<Rule> const rules{
      make_rule({8, 2, Placement::block}, "ring"), make_rule({16, 2, Placement::block}, "bruck")
  };
  for (int const num_ranks : {8, 12, 16}) {
    Shape const shape{num_ranks, 2, Placement::cyclic};
    DecisionTable const table(rules, Call::allgather, shape);
    EXPECT_TRUE(table.at(100).is_open) << num_ranks;
    EXPECT_TRUE(table.at(100).reason.starts_with("no rule of the profile is near enough to "))
        << table.at(100).reason;
  }
  EXPECT_EQ(chosen(rules, {12, 2, Placement::block}), "bruck") << "the nearest lends";
}

TEST(DecisionTable, BorrowsFromTheNearestNumberOfRanks) {
  std::vector<Rule> const rules{make_rule({4, 1}, "ring"), make_rule({12, 1}, "bruck")};
  EXPECT_EQ(chosen(rules, {6, 1}), "ring");
  EXPECT_EQ(chosen(rules, {7, 1}), "bruck");
  EXPECT_EQ(chosen(rules, {3, 1}), "ring");
  EXPECT_EQ(chosen(rules, {20, 1}), "bruck");
  DecisionTable const table(rules, Call::allgather, {3, 1});
  EXPECT_TRUE(table.at(0).is_borrowed);
  EXPECT_EQ(table.at(0).reason, "profile rule 0, borrowed from 4 ranks on 1 node: ring is better");
}

TEST(DecisionTable, BorrowsFromAsManyNodesAndWithinAFactorOfTwoOfRanks) {
  std::vector<Rule> const rules{make_rule({6, 2}, "bruck", {0, 99}), make_rule({6, 4}, "ring")};
  for (Shape const near : {Shape{4, 4}, Shape{5, 4}, Shape{12, 4}}) {
    EXPECT_EQ(chosen(rules, near), "ring") << near.text();
  }
  for (Shape const far : {Shape{13, 4}, Shape{6, 3}, Shape{6, 1}, Shape{12, 8}, Shape{800, 4}}) {
    EXPECT_EQ(chosen(rules, far), "native") << far.text();
  }
  DecisionTable const table(rules, Call::allgather, {800, 40});
  EXPECT_FALSE(table.chooses());
  EXPECT_EQ(
      table.at(100).reason,
      "no rule of the profile is near enough to 800 ranks on 40 nodes; "
      "the nearest is for 6 ranks on 4 nodes"
  );
}

TEST(DecisionTable, TheSmallerOfTwoEquallyNearShapesWins) {
  std::vector<Rule> const rules{make_rule({16, 1}, "bruck"), make_rule({4, 1}, "ring")};
  EXPECT_EQ(chosen(rules, {8, 1}), "ring");
}

TEST(DecisionTable, NodesCountMoreThanRanks) {
  std::vector<Rule> const rules{make_rule({8, 1}, "ring"), make_rule({8, 4}, "bruck")};
  EXPECT_EQ(chosen(rules, {8, 1}), "ring");
  EXPECT_EQ(chosen(rules, {8, 4}), "bruck");
  EXPECT_EQ(chosen(rules, {9, 4}), "bruck");
  EXPECT_EQ(chosen(rules, {9, 3}), "native");
  EXPECT_EQ(nearest_shape(rules, {80, 2}), (Shape{8, 1}));
  EXPECT_EQ(nearest_shape(rules, {8, 3}), (Shape{8, 4}));
}

TEST(DecisionTable, PassesOverAlgorithmsThatRefuseTheRanks) {
  std::vector<Rule> const rules{
      make_rule({4, 1}, "recursive_doubling"), make_rule({10, 1}, "ring")
  };
  EXPECT_EQ(chosen(rules, {2, 1}), "recursive_doubling");
  EXPECT_EQ(chosen(rules, {5, 1}), "ring");
}

TEST(DecisionTable, BorrowsANativeRuleToo) {
  std::vector<Rule> const rules{make_rule({4, 1}, "native"), make_rule({64, 1}, "ring")};
  EXPECT_EQ(chosen(rules, {5, 1}), "native");
  EXPECT_FALSE(DecisionTable(rules, Call::allgather, {4, 1}).chooses());
}

constexpr CallForm iallgather{.call = Call::allgather, .form = Form::nonblocking};

Rule for_nonblocking(Rule rule) {
  rule.form = Form::nonblocking;
  return rule;
}

TEST(DecisionTable, NonblockingCallsTakeRulesOfTheirOwnFirst) {
  std::vector<Rule> const rules{
      make_rule({4, 1}, "ring"),
      for_nonblocking(make_rule({4, 1}, "bruck", {100, 200})),
      for_nonblocking(make_rule({4, 1}, "native", {300, 400})),
  };
  DecisionTable const table(rules, iallgather, {4, 1});
  EXPECT_EQ(name_of(table.at(99)), "ring");
  EXPECT_EQ(name_of(table.at(100)), "bruck");
  EXPECT_EQ(table.at(100).rule, 1);
  EXPECT_EQ(name_of(table.at(201)), "ring");
  EXPECT_EQ(name_of(table.at(300)), "native") << "native for nonblocking calls is a decision";
  EXPECT_EQ(table.at(300).rule, 2);
  EXPECT_FALSE(table.at(300).is_open);
}

TEST(DecisionTable, PersistentCallsTakeRulesOfTheirOwnThenThoseOfNonblockingCalls) {
  Rule own = make_rule({4, 1}, "sparbit", {150, 160});
  own.form = Form::persistent;
  std::vector<Rule> const rules{
      make_rule({4, 1}, "ring"), own, for_nonblocking(make_rule({4, 1}, "bruck", {100, 200}))
  };
  CallForm const persistent{.call = Call::allgather, .form = Form::persistent};
  DecisionTable const table(rules, persistent, {4, 1});
  EXPECT_EQ(name_of(table.at(99)), "ring");
  EXPECT_EQ(name_of(table.at(149)), "bruck");
  EXPECT_EQ(name_of(table.at(150)), "sparbit");
  EXPECT_EQ(name_of(table.at(161)), "bruck");
  EXPECT_EQ(name_of(DecisionTable(rules, iallgather, {4, 1}).at(150)), "bruck");
}

TEST(DecisionTable, RulesForNonblockingCallsSayNothingOfBlockingOnes) {
  std::vector<Rule> const rules{for_nonblocking(make_rule({4, 1}, "bruck"))};
  DecisionTable const table(rules, Call::allgather, {4, 1});
  EXPECT_FALSE(table.chooses());
  EXPECT_EQ(table.at(100).reason, "no rule of the profile covers this");
  EXPECT_TRUE(table.at(100).is_open);
}

TEST(DecisionTable, NonblockingCallsBorrowBeforeTheyTakeARuleOfBlockingCalls) {
  std::vector<Rule> const rules{
      make_rule({4, 1}, "ring"), for_nonblocking(make_rule({6, 1}, "bruck", {0, 99}))
  };
  DecisionTable const table(rules, iallgather, {4, 1});
  EXPECT_EQ(name_of(table.at(99)), "bruck");
  EXPECT_TRUE(table.at(99).is_borrowed);
  EXPECT_EQ(name_of(table.at(100)), "ring");
  EXPECT_FALSE(table.at(100).is_borrowed);
}

TEST(DecisionTable, IgnoresRulesOfOtherCalls) {
  std::vector<Rule> const rules{make_rule({4, 1}, "ring")};
  DecisionTable const table(rules, Call::allgatherv, {4, 1});
  EXPECT_FALSE(table.at(100).choice);
  EXPECT_FALSE(table.chooses());
  EXPECT_EQ(
      DecisionTable({}, Call::bcast, {4, 1}).at(7).reason, "no rule of the profile covers this"
  );
}

TEST(DecisionTable, IsCompletedWhereItIsOpenOrBorrows) {
  DecisionTable const own(
      std::vector{make_rule({4, 1}, "ring", {10, 19}), make_rule({4, 1}, "native", {20, 29})},
      Call::allgather,
      {4, 1}
  );
  DecisionTable const other(
      std::vector{
          make_rule({4, 1}, "bruck", {0, 24}), make_rule({4, 1}, "sparbit", {40, no_limit})
      },
      Call::allgather,
      {4, 1}
  );
  DecisionTable const both = own.completed_by(other);
  std::vector<std::string> found;
  for (std::int64_t const bytes : {0, 9, 10, 19, 20, 29, 30, 39, 40, 1000}) {
    found.push_back(name_of(both.at(bytes)));
  }
  EXPECT_EQ(
      found,
      (std::vector<std::string>{
          "bruck",
          "bruck",
          "ring",
          "ring",
          "native",
          "native",
          "native",
          "native",
          "sparbit",
          "sparbit"
      })
  );
  EXPECT_EQ(both.at(30), own.at(30));
  EXPECT_TRUE(both.chooses());
}

TEST(DecisionTable, RulesForItsShapeComeBeforeBorrowedOnes) {
  DecisionTable const borrowing(std::vector{make_rule({6, 1}, "ring")}, Call::allgather, {4, 1});
  DecisionTable const exact(
      std::vector{make_rule({4, 1}, "bruck", {0, 9})}, Call::allgather, {4, 1}
  );
  DecisionTable const both = borrowing.completed_by(exact);
  EXPECT_EQ(name_of(both.at(9)), "bruck");
  EXPECT_EQ(name_of(both.at(10)), "ring");
  EXPECT_EQ(name_of(exact.completed_by(borrowing).at(10)), "native") << "nobody asked for that";
}

TEST(DecisionTable, AgreesWithARuleByRuleSearch) {
  std::vector<Rule> const rules{
      make_rule({4, 1}, "ring", {0, 9}),
      make_rule({4, 1}, "native", {10, 19}),
      make_rule({4, 1}, "bruck", {20, 29}),
      make_rule({4, 1}, "ring", {31, 31}),
  };
  DecisionTable const table(rules, Call::allgather, {4, 1});
  for (std::int64_t bytes = 0; bytes < 40; ++bytes) {
    int expected = -1;
    for (std::size_t i = 0; i < rules.size(); ++i) {
      if (rules[i].min_bytes <= bytes && bytes <= rules[i].max_bytes) {
        expected = static_cast<int>(i);
      }
    }
    EXPECT_EQ(table.at(bytes).rule, expected) << bytes;
  }
}

TEST(Lookup, GivesTheDecisionOfTheTable) {
  Profile const profile = Profile::parse(
      R"({"schema": "espalier-profile", "version": 1, "mpi": {"vendor": "mpich"}, "rules": [
          {"collective": "bcast", "num_ranks": 2, "num_nodes": 1, "min_bytes": 8, "max_bytes": 64,
           "algorithm": "bcast/binomial", "reason": "r"}]})",
      "p"
  );
  EXPECT_TRUE(lookup(profile, Call::bcast, 2, 1, 8).choice);
  EXPECT_FALSE(lookup(profile, Call::bcast, 2, 1, 7).choice);
  EXPECT_FALSE(lookup(profile, Call::allgather, 2, 1, 8).choice);
}

Shape grid_of(int max_neighbors, int num_ranks = 8) {
  return {
      .num_ranks = num_ranks,
      .num_nodes = 1,
      .topology = Topology::grid,
      .max_neighbors = max_neighbors,
  };
}

TEST(DecisionTable, TellsNeighborhoodsApart) {
  Rule combining{.call = Call::neighbor_alltoall, .shape = grid_of(4), .reason = "r"};
  combining.neighbors = &neighborhood::find("neighbor_alltoall/combining");
  std::vector<Rule> const rules{combining};
  auto const decided = [&](Shape shape) {
    return DecisionTable(rules, Call::neighbor_alltoall, shape).at(8).algorithm_text();
  };
  Shape graph = grid_of(4);
  graph.topology = Topology::graph;
  EXPECT_EQ(decided(grid_of(4)), "neighbor_alltoall/combining");
  EXPECT_EQ(decided(grid_of(4, 16)), "neighbor_alltoall/combining");
  EXPECT_EQ(decided(grid_of(4, 32)), "native");
  EXPECT_EQ(decided(grid_of(8)), "native");
  EXPECT_EQ(decided(graph), "native");
  EXPECT_TRUE(DecisionTable(rules, Call::neighbor_alltoall, grid_of(4)).chooses());
  EXPECT_FALSE(DecisionTable(rules, Call::neighbor_alltoallv, grid_of(4)).chooses());
}

TEST(NearestShape, LeavesNeighborhoodsOutUnlessAskedFor) {
  std::vector<Rule> const rules{{.call = Call::neighbor_alltoall, .shape = grid_of(4)}};
  EXPECT_EQ(nearest_shape(rules, {8, 1}), std::nullopt);
  EXPECT_EQ(nearest_shape(rules, {8, 1}, CallForm{.call = Call::neighbor_alltoall}), grid_of(4));
}

TEST(Decision, IsReadFromItsText) {
  for (char const* const text : {"native", "neighbor_allgather/direct"}) {
    EXPECT_EQ(decision_named(Call::neighbor_allgatherv, text, "r").algorithm_text(), text);
  }
  EXPECT_EQ(decision_named(Call::bcast, "bcast/flat", "r").algorithm_text(), "bcast/flat");
  EXPECT_THROW(
      static_cast<void>(decision_named(Call::neighbor_allgatherv, "bcast/flat", "r")), Error
  );
}

}  // namespace
}  // namespace espalier::profile
