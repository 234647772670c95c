// SPDX-License-Identifier: Apache-2.0

/// @file
/// Scatter, gather, reduce and scan along trees: what their proofs do not say.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/algorithms/exscan/parts/doubling_steps.hpp"
#include "espalier/algorithms/reduce/parts/halving.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::algorithms {
namespace {

using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;

/// Round, sender, receiver, number of blocks.
using Message = std::tuple<int, int, int, std::int64_t>;

std::vector<Message> messages(Choice const& choice, int p, int root) {
  std::vector<Message> result;
  for (int rank = 0; rank < p; ++rank) {
    RankProgram const program = choice.generate(p, root, rank);
    for (Operation const& operation : program.operations) {
      if (operation.kind == Kind::send) {
        auto const blocks = num_blocks(program.slots(operation));
        result.emplace_back(operation.round, rank, operation.peer, blocks);
      }
    }
  }
  std::ranges::sort(result);
  return result;
}

constexpr std::array trees{"flat", "binomial", "k_nomial[k=3]", "k_nomial[k=5]", "k_ary[k=2]"};

TEST(TreeGather, IsTheScatterBackwards) {
  for (std::string const tree : trees) {
    Choice const scatter = Choice::parse("scatter/" + tree);
    Choice const gather = Choice::parse("gather/" + tree);
    for (int const p : {1, 2, 5, 8, 13, 30}) {
      int const last_round = scatter.facts(p, p / 2).rounds - 1;
      std::vector<Message> backwards;
      for (auto const& [round, sender, receiver, blocks] : messages(scatter, p, p / 2)) {
        backwards.emplace_back(last_round - round, receiver, sender, blocks);
      }
      std::ranges::sort(backwards);
      EXPECT_EQ(messages(gather, p, p / 2), backwards) << tree << ", p = " << p;
    }
  }
}

TEST(TreeGather, MovesEverySubtreeAsOneRunThoughItWraps) {
  for (std::string const tree : trees) {
    for (std::string const collective : {"scatter/", "gather/"}) {
      Choice const choice = Choice::parse(collective + tree);
      for (int rank = 0; rank < 13; ++rank) {
        RankProgram const program = choice.generate(13, 9, rank);
        for (Operation const& operation : program.operations) {
          EXPECT_EQ(operation.slots.size(), 1) << choice.text() << ", rank " << rank;
        }
      }
    }
  }
}

TEST(TreeGather, PostsAllReceivesAtOnce) {
  RankProgram const root = Choice::parse("gather/binomial").generate(64, 0, 0);
  ASSERT_EQ(root.operations.size(), 6U);
  for (Operation const& operation : root.operations) {
    EXPECT_EQ(operation.kind, Kind::recv);
    EXPECT_EQ(operation.after, 0);
  }
}

TEST(TreeScatter, IsLogarithmicInOperations) {
  for (std::string const name : {"scatter/binomial", "gather/k_nomial[k=4]", "reduce/k_ary[k=2]"}) {
    RankProgram const program = Choice::parse(name).generate(1 << 18, 0, 1 << 17);
    EXPECT_LE(program.operations.size(), 60U) << name;
    EXPECT_LE(program.slot_pool.size(), 60U) << name;
  }
}

TEST(TreeReduce, KeepsRankOrderForRootZeroOrByWayOfRankZero) {
  for (std::string const name : {"binomial", "k_nomial[k=4]", "k_ary[k=3]"}) {
    Choice const plain = Choice::parse("reduce/" + name);
    EXPECT_EQ(plain.order(9, 0), OperandOrder::rank);
    EXPECT_EQ(plain.order(9, 4), OperandOrder::any);
    std::string const separator = name.back() == ']' ? "," : "[";
    std::string const stem = name.substr(0, name.find(']'));
    Choice const in_order = Choice::parse("reduce/" + stem + separator + "in_order=1]");
    EXPECT_EQ(in_order.order(9, 0), OperandOrder::rank);
    EXPECT_EQ(in_order.order(9, 4), OperandOrder::rank);
    EXPECT_EQ(in_order.facts(9, 0), plain.facts(9, 0));
    EXPECT_EQ(in_order.facts(9, 4).rounds, plain.facts(9, 4).rounds + 1);
  }
}

TEST(TreeReduce, PostsTheNextReceiveBeforeItCombines) {
  RankProgram const program = Choice::parse("reduce/binomial").generate(16, 0, 8);
  std::vector<Kind> kinds;
  for (Operation const& operation : program.operations) {
    kinds.push_back(operation.kind);
    EXPECT_TRUE(operation.kind != Kind::recv || operation.after == 0);
  }
  std::vector const expected{
      Kind::recv, Kind::recv, Kind::reduce, Kind::recv, Kind::reduce, Kind::reduce, Kind::send
  };
  EXPECT_EQ(kinds, expected);
}

TEST(TreeReduce, CopiesNothingWhereTheRootHearsSeveralRanks) {
  for (std::string const name : {"binomial", "k_nomial[k=4]", "k_ary[k=2]"}) {
    RankProgram const program = Choice::parse("reduce/" + name).generate(9, 5, 5);
    EXPECT_EQ(std::ranges::count(program.operations, Kind::copy, &Operation::kind), 0) << name;
  }
}

TEST(FlatReduce, NeedsNoMoreThanThreeVectorsAndFoldsWhileItReceives) {
  for (int const root : {0, 39}) {
    RankProgram const program = Choice::parse("reduce/flat").generate(40, root, root);
    EXPECT_EQ(program.frame.scratch_like.size(), 3U);
    // What folds message i does not wait for message i + 1.
    int posted = 0;
    for (Operation const& operation : program.operations) {
      posted += operation.kind == Kind::recv ? 1 : 0;
      if (operation.kind == Kind::reduce && posted < 39) {
        auto const begin = program.operations.begin();
        auto const waited_for =
            std::count_if(begin, begin + operation.after, [](Operation const& earlier) {
              return earlier.kind == Kind::recv;
            });
        EXPECT_EQ(waited_for, posted - 1) << "root " << root;
      }
    }
  }
}

TEST(ReduceScatterGather, LetsTheRootGoOnForItsPair) {
  for (int p = 1; p <= 40; ++p) {
    for (int root = 0; root < p; ++root) {
      Survivors const all(p, root);
      EXPECT_EQ(all.rank_of(all.number_of(root)), root);
      int previous = -1;
      for (int number = 0; number < all.size(); ++number) {
        int const rank = all.rank_of(number);
        EXPECT_GT(rank, previous);
        EXPECT_LT(rank, p);
        EXPECT_EQ(all.number_of(rank), number);
        previous = rank;
      }
    }
  }
}

TEST(ReduceScatterGather, LeavesEveryNumberADifferentPiece) {
  std::vector<int> pieces;
  for (int number = 0; number < 8; ++number) {
    auto const run = kept_pieces(8, number, 2);
    EXPECT_EQ(run.size, 1);
    pieces.push_back(run.begin);
  }
  EXPECT_EQ(pieces, (std::vector{0, 4, 2, 6, 1, 5, 3, 7}));
}

std::vector<int> distances(int p, int inclusive) {
  std::vector<int> result;
  for (DoublingStep const& step : doubling_steps(p, inclusive)) {
    result.push_back(step.distance);
  }
  return result;
}

TEST(ExclusiveScan, HasTheDistancesOfItsSources) {
  EXPECT_EQ(distances(16, 1), (std::vector{1, 1, 2, 4, 8}));
  EXPECT_EQ(distances(25, 2), (std::vector{1, 2, 3, 6, 12}));
  EXPECT_EQ(distances(16, 4), (std::vector{1, 2, 4, 8}));
  EXPECT_TRUE(distances(1, 0).empty());
}

TEST(ExclusiveScan, TakesTheFewestInclusiveRoundsWithTheFewestRounds) {
  for (int p = 2; p <= 5000; ++p) {
    auto const steps = doubling_steps(p, 0);
    auto const rounds = static_cast<int>(steps.size());
    ASSERT_EQ(rounds, ceil_log2(p)) << "p = " << p;
    auto const inclusive =
        static_cast<int>(std::ranges::count(steps, true, &DoublingStep::is_inclusive));
    ASSERT_TRUE(inclusive == 1 || doubling_steps(p, inclusive - 1).size() > steps.size());
    // The smallest i with i >= q - log2(2^q - p + 1).
    ASSERT_EQ(inclusive, std::max(1, rounds - floor_log2((1 << rounds) - p + 1))) << "p = " << p;
  }
}

TEST(ExclusiveScan, WithTwoInclusiveRoundsHasTheRoundsOfItsSource) {
  for (int p = 3; p <= 5000; ++p) {
    int rounds = 0;
    while (3 * (std::int64_t{1} << rounds) < 4 * std::int64_t{p - 1}) {
      ++rounds;
    }
    ASSERT_EQ(doubling_steps(p, 2).size(), static_cast<std::size_t>(rounds)) << "p = " << p;
  }
}

}  // namespace
}  // namespace espalier::algorithms
