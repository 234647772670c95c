// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/replay/sizes.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/cost/ranking/ranking.hpp"
#include "espalier/cost/replay/replay.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::cost {
namespace {

using algorithms::Choice;
using schedule::blocks;

/// A message of n bytes takes 5 + n.
constexpr machine::Link plain{.latency = 5, .per_byte = 1};

double seconds(std::string const& choice, Sizes const& sizes, int num_ranks) {
  return replay(Choice::parse(choice), 0, uniform(plain, num_ranks), sizes).seconds();
}

TEST(Sizes, OfEqualBlocksArePartsOfTheWhole) {
  schedule::RankProgram const program = Choice::parse("allgather/ring").generate(4, 0, 0);
  std::vector<schedule::Slot> const run{blocks(3, 2)};
  EXPECT_EQ(Sizes(10.0).of(program, run), 5);
  EXPECT_EQ(Sizes(10.0).total(), 10);
}

TEST(Sizes, OfARunThatWrapsAreThoseOfItsBlocks) {
  schedule::RankProgram const program = Choice::parse("allgather/ring").generate(4, 0, 0);
  Sizes const sizes(std::vector<double>{1, 20, 300, 4000});
  std::vector<schedule::Slot> const run{blocks(3, 2)};
  EXPECT_EQ(sizes.of(program, run), 4001);
  std::vector<schedule::Slot> const comb{blocks(1, 2, 2), blocks(0)};
  EXPECT_EQ(sizes.of(program, comb), 4021);
  EXPECT_EQ(sizes.total(), 4321);
}

TEST(Sizes, OfPiecesAreEqual) {
  schedule::RankProgram program;
  program.frame.num_ranks = 2;
  program.frame.num_output_blocks = 4;
  Sizes const sizes(std::vector<double>{3, 10});
  std::vector<schedule::Slot> const middle{blocks(1, 2)};
  EXPECT_EQ(sizes.of(program, middle), 6.5);
}

TEST(Sizes, RefusesWhatIsNoSize) {
  EXPECT_THROW(Sizes(std::vector<double>{}), Error);
  EXPECT_THROW(Sizes(std::vector<double>{1, -1}), Error);
  EXPECT_THROW(Sizes(std::vector<double>{std::nan("")}), Error);
  EXPECT_THROW(Sizes(std::vector<double>{std::numeric_limits<double>::infinity()}), Error);
}

TEST(Sizes, RefusesProgramsOfOtherBlocks) {
  Sizes const sizes(std::vector<double>{1, 2, 3});
  EXPECT_THROW(static_cast<void>(seconds("allgather/ring", sizes, 4)), Error);
}

/// In each step of a ring all wait for the largest block.
TEST(Sizes, TheLargestBlockGoesRoundARing) {
  Sizes const sizes(std::vector<double>{0, 0, 100, 0, 0});
  EXPECT_EQ(seconds("allgather/ring", sizes, 5), 4 * 105);
}

/// Nothing but the tree from rank 0 is left.
TEST(Sizes, SparbitWithDataOnOneRankIsABinomialTree) {
  for (int const p : {2, 3, 5, 8, 13, 16, 31}) {
    std::vector<double> of_blocks(static_cast<std::size_t>(p), 0);
    of_blocks[0] = 64;
    EXPECT_EQ(
        seconds("allgather/sparbit", Sizes(of_blocks), p),
        replay_time(Choice::parse("bcast/binomial"), 0, uniform(plain, p), 64)
    ) << "p = "
      << p;
  }
}

TEST(Sizes, RankingKnowsThatBlocksWithoutDataCostNothing) {
  std::vector<Choice> const candidates{
      Choice::parse("allgather/ring"), Choice::parse("allgather/bruck")
  };
  Sizes const sizes(std::vector<double>{64, 0, 0, 0, 0, 0, 0, 0});
  std::vector<Ranked> const ranked = best(candidates, 0, uniform(plain, 8), sizes);
  EXPECT_EQ(ranked[0].choice.text(), "allgather/bruck");
  EXPECT_EQ(ranked[0].seconds, seconds("allgather/bruck", sizes, 8));
}

}  // namespace
}  // namespace espalier::cost
