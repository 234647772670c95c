// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/pace.hpp"

#include <gtest/gtest.h>

namespace espalier::learn {
namespace {

/// A rank whose calls follow each other.
class Loop {
public:
  /// @param interval  seconds from a call to the next one
  void calls(int number, double interval) {
    for (int i = 0; i < number; ++i) {
      pace_.begin(++call_, time_, false);
      time_ += interval;
    }
  }

  /// @return what is charged for the waiting in the exchanges.
  double trials(int number, double interval, double waited, double usual) {
    double charged = 0;
    for (int i = 0; i < number; ++i) {
      pace_.begin(++call_, time_, true);
      charged += pace_.waited(waited, usual);
      time_ += interval;
    }
    return charged;
  }

private:
  Pace pace_;
  std::int64_t call_ = 0;
  double time_ = 100;
};

/// Broadcasts that run ahead take 20 us each; with an exchange after each of them 300 us.
TEST(Pace, ChargesWhatStopsRanksThatRunAhead) {
  Loop loop;
  loop.calls(24, 20e-6);
  // What the last trial costs is known with the next call only.
  EXPECT_NEAR(loop.trials(101, 300e-6, 400e-6, 250e-6), 100 * 280e-6, 1e-9);
}

TEST(Pace, ChargesNothingWhereRanksWaitForEachOtherAnyway) {
  Loop loop;
  loop.calls(24, 1e-3);
  EXPECT_NEAR(loop.trials(100, 1e-3, 0.8e-3, 0.9e-3), 0, 1e-9);
}

TEST(Pace, ChargesNoMoreThanWasWaited) {
  Loop loop;
  loop.calls(24, 20e-6);
  EXPECT_NEAR(loop.trials(100, 900e-6, 50e-6, 250e-6), 100 * 50e-6, 1e-9);
}

TEST(Pace, ChargesNothingWhereAProgramDoesOtherThingsInBetween) {
  Loop loop;
  loop.calls(24, 5e-3);
  EXPECT_EQ(loop.trials(100, 9e-3, 3e-3, 250e-6), 0);
}

TEST(Pace, KnowsNothingOfAFewCalls) {
  Loop loop;
  loop.calls(5, 20e-6);
  EXPECT_EQ(loop.trials(100, 300e-6, 400e-6, 250e-6), 0);
}

TEST(Pace, LeavesOutCallsThatItDidNotSee) {
  Pace pace;
  for (int call = 1; call <= 24; ++call) {
    pace.begin(call, call * 20e-6, false);
  }
  pace.begin(1000, 5, true);
  EXPECT_EQ(pace.waited(1e-3, 1e-3), 0) << "the way from call 24 to call 1000 says nothing";
  pace.begin(2000, 10, true);
  EXPECT_EQ(pace.waited(1e-3, 1e-3), 0);
}

/// What one trial cost too much another one may bring back, and nothing is charged twice.
TEST(Pace, ChargesWhatAllTrialsTogetherCost) {
  Loop loop;
  loop.calls(24, 100e-6);
  double charged = loop.trials(2, 300e-6, 400e-6, 250e-6);
  charged += loop.trials(1, 100e-6, 400e-6, 250e-6);
  EXPECT_NEAR(charged, 400e-6, 1e-9);
  EXPECT_NEAR(loop.trials(5, 0, 400e-6, 250e-6), 0, 1e-9);
}

}  // namespace
}  // namespace espalier::learn
