// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/progress/look_interval.hpp"

#include <algorithm>
#include <chrono>

#include <gtest/gtest.h>

namespace espalier::plan {
namespace {

using namespace std::chrono_literals;

constexpr LookInterval::Clock::time_point start{1h};

TEST(LookInterval, IsShortestBehindEachMove) {
  LookInterval interval;
  EXPECT_EQ(interval.after_look(1, start), 50us);
  EXPECT_EQ(interval.after_look(1, start + 6ms), 375us);
  EXPECT_EQ(interval.after_look(2, start + 7ms), 50us);
}

TEST(LookInterval, GrowsWithTheTimeInVain) {
  LookInterval interval;
  EXPECT_EQ(interval.after_look(7, start), 50us);
  EXPECT_EQ(interval.after_look(7, start + 800us), 50us);
  EXPECT_EQ(interval.after_look(7, start + 1600us), 100us);
  EXPECT_EQ(interval.after_look(7, start + 4ms), 250us);
  EXPECT_EQ(interval.after_look(7, start + 1min), 500us);
}

TEST(LookInterval, TakesFewLooksForALongWait) {
  LookInterval interval;
  int num_looks = 0;
  for (LookInterval::Clock::duration waited{}; waited < 20ms; ++num_looks) {
    waited += interval.after_look(1, start + waited);
  }
  EXPECT_LT(num_looks, 90);  // 400 at the shortest interval
}

TEST(LookInterval, KeepsAMessageForASixteenthOfItsTimeOrTheShortestInterval) {
  LookInterval interval;
  LookInterval::Clock::duration waited{};
  while (waited < 8ms) {
    LookInterval::Clock::duration const last = waited;
    waited += interval.after_look(1, start + waited);
    EXPECT_LE(waited - last, std::max<LookInterval::Clock::duration>(last / 16, 50us));
  }
}

}  // namespace
}  // namespace espalier::plan
