// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/drawing.hpp"

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::verify {
namespace {

using algorithms::Choice;

TEST(Drawing, ShowsWhatRanksHoldAfterEachRound) {
  EXPECT_EQ(
      draw_holdings(Choice::parse("allgather/ring"), 3, 0),
      "blocks held, p = 3     rank 0   rank 1   rank 2\n"
      "start                  0        1        2\n"
      "after round 0          02       01       12\n"
      "after round 1          012      012      012\n"
  );
}

TEST(Drawing, NamesRootAndArguments) {
  EXPECT_EQ(
      draw_holdings(Choice::parse("bcast/k_nomial[k=3]"), 3, 2),
      "blocks held, p = 3, root = 2, k=3     rank 0   rank 1   rank 2\n"
      "start                                 -        -        0\n"
      "after round 0                         0        -        0\n"
      "after round 1                         0        0        0\n"
  );
}

TEST(Drawing, ShowsRunsWhereBlocksHaveTwoDigits) {
  std::string const drawing = draw_holdings(Choice::parse("allgather/ring"), 12, 0);
  EXPECT_NE(drawing.find("after round 1           0,10,11   0,1,11      0-2 "), std::string::npos)
      << drawing;
  EXPECT_NE(drawing.find(" 0-11\n"), std::string::npos) << drawing;
}

TEST(Drawing, OfOneRankIsTheStart) {
  EXPECT_EQ(
      draw_holdings(Choice::parse("bcast/binomial"), 1, 0),
      "blocks held, p = 1     rank 0\n"
      "start                  0\n"
  );
}

TEST(Drawing, ListsMessagesByRoundAndSender) {
  EXPECT_EQ(
      draw_messages(Choice::parse("bcast/binomial[segments=2]"), 3, 0),
      "round 0: 0 -> 2 {0}\n"
      "round 1: 0 -> 1 {0}\n"
      "round 2: 0 -> 2 {1}\n"
      "round 3: 0 -> 1 {1}\n"
  );
  EXPECT_EQ(
      draw_messages(Choice::parse("allgather/ring"), 2, 0),
      "round 0: 0 -> 1 {0}\n"
      "round 0: 1 -> 0 {1}\n"
  );
}

TEST(Drawing, RefusesWhatTheAlgorithmRefuses) {
  EXPECT_THROW(static_cast<void>(draw_holdings(Choice::parse("allgather/ring"), 3, 3)), Error);
  EXPECT_THROW(static_cast<void>(draw_messages(Choice::parse("allgather/ring"), 0, 0)), Error);
}

}  // namespace
}  // namespace espalier::verify
