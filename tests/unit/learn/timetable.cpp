// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/timetable.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/learn/standings.hpp"

namespace espalier::learn {
namespace {

/// The native call and candidates that nobody has timed.
Record untried(std::vector<double> const& predicted) {
  Record record{.candidates = {{}}};
  for (double const seconds : predicted) {
    record.candidates.push_back({.predicted = seconds});
  }
  return record;
}

/// The same after a round, with times.
Record timed(std::vector<double> const& seconds) {
  Record record{.num_rounds = 1};
  for (double const one : seconds) {
    record.candidates.push_back({.predicted = 1e-4, .seconds = one});
  }
  return record;
}

/// What the first calls run: the number of a candidate, `.` for what stands; those that are timed
/// are in brackets.
std::string calls(Timetable const& table, int num_calls) {
  std::string text;
  for (int call = 0; call < num_calls; ++call) {
    auto const slot = table.at(call);
    std::string const name = slot ? std::to_string(slot->candidate) : ".";
    text += slot && slot->is_timed ? "[" + name + "]" : name;
  }
  return text;
}

/// All trials of a table take what their candidate does.
std::vector<double> times(Timetable const& table, std::vector<double> const& of_candidates) {
  std::vector<double> all;
  for (int round = 0; round < table.num_rounds(); ++round) {
    for (int const candidate : table.candidates()) {
      all.push_back(of_candidates[static_cast<std::size_t>(candidate)]);
    }
  }
  return all;
}

TEST(Timetable, OfNothingHasNoTrials) {
  EXPECT_TRUE(Timetable().is_empty());
  EXPECT_EQ(calls(Timetable(), 5), ".....");
  EXPECT_TRUE(
      Timetable::of_trials({}, {.num_calls = 100, .waiting_seconds = 1e-3, .budget = 1}).is_empty()
  );
}

TEST(Timetable, BeginsWithOneShortRound) {
  auto const table = Timetable::of_trials(
      untried({1e-4, 2e-4}), {.num_calls = 100, .waiting_seconds = 1e-3, .budget = 1}
  );
  EXPECT_EQ(calls(table, 12), "....0[0]1[1]2[2]..");
  EXPECT_DOUBLE_EQ(table.cost(), 4e-3);
}

TEST(Timetable, SpendsNoCallOnConnectionsWhereThereAreFew) {
  auto const table = Timetable::of_trials(
      untried({0.05}), {.num_calls = 10, .waiting_seconds = 0.1, .budget = 0.01}
  );
  EXPECT_EQ(calls(table, 7), ".[0][1][1][0]..");
}

TEST(Timetable, DecidesInItsFirstRunWhereNothingCanBeLost) {
  auto const table = Timetable::of_trials(
      untried({0.01}), {.num_calls = 100, .waiting_seconds = 0.1, .budget = 0.01}
  );
  ASSERT_EQ(table.num_rounds(), 2);
  Standings standings;
  standings.resume(table.judge(untried({0.01}), times(table, {0.1, 0.04})));
  EXPECT_EQ(standings.decision(), 1);
  standings.resume(table.judge(untried({0.01}), times(table, {0.1, 0.06})));
  EXPECT_EQ(standings.decision(), std::nullopt);
}

TEST(Timetable, BelievesAModelOfLongCalls) {
  Timetable::Circumstances const known{.num_calls = 10, .waiting_seconds = 0.1, .budget = 0.01};
  EXPECT_FALSE(Timetable::of_trials(untried({0.05}), known).is_empty());
  EXPECT_TRUE(Timetable::of_trials(untried({0.06}), known).is_empty());
}

TEST(Timetable, LeavesOutWhatItCannotPay) {
  Timetable::Circumstances known{.num_calls = 100, .waiting_seconds = 1e-3, .budget = 0.0039};
  auto const candidates = [&] {
    auto const table = Timetable::of_trials(untried({1e-4, 2e-4}), known);
    return std::vector<int>(table.candidates().begin(), table.candidates().end());
  };
  EXPECT_EQ(candidates(), (std::vector<int>{0, 1}));
  known.budget = 0.0019;
  EXPECT_TRUE(Timetable::of_trials(untried({1e-4, 2e-4}), known).is_empty());
}

TEST(Timetable, HasLongerTrialsInLaterRuns) {
  auto const table = Timetable::of_trials(
      timed({1e-3, 9e-4}), {.num_calls = 192, .waiting_seconds = 1e-3, .budget = 1}
  );
  // The second round of all, and the third one, in which they come in reverse.
  EXPECT_EQ(calls(table, 20), "....1[1][1][1]0[0][0][0]1[1][1][1]0[0][0][0]");
  EXPECT_EQ(table.num_rounds(), 11);
  EXPECT_DOUBLE_EQ(table.cost(), 0);
}

TEST(Timetable, MakesAsManyRoundsAsItMayLose) {
  // A trial of a call that is timed and one that is not loses 1 ms.
  Timetable::Circumstances known{.num_calls = 100, .waiting_seconds = 1e-3, .budget = 3.5e-3};
  auto const table = Timetable::of_trials(timed({1e-3, 1.5e-3}), known);
  EXPECT_EQ(table.num_rounds(), 3);
  EXPECT_DOUBLE_EQ(table.cost(), 3e-3);
}

TEST(Timetable, EveryCandidateFollowsEveryOther) {
  auto const table = Timetable::of_trials(
      timed({1e-3, 1e-3, 1e-3}), {.num_calls = 1000, .waiting_seconds = 1e-3, .budget = 1}
  );
  std::vector<std::vector<bool>> follows(3, std::vector<bool>(3, false));
  int before = -1;
  for (int call = 0; call < 1000; ++call) {
    auto const slot = table.at(call);
    if (slot && before >= 0) {
      follows[static_cast<std::size_t>(before)][static_cast<std::size_t>(slot->candidate)] = true;
    }
    before = slot ? slot->candidate : -1;
  }
  for (auto const& one : follows) {
    EXPECT_EQ(one, (std::vector<bool>{true, true, true}));
  }
}

TEST(Timetable, GoesOnWithTheBestOfThoseThatHaveTimes) {
  Record const record = timed({1e-3, 1.4e-3, 0, 1.1e-3});
  auto const candidates = [&](double budget) {
    auto const table =
        Timetable::of_trials(record, {.num_calls = 60, .waiting_seconds = 1e-3, .budget = budget});
    return std::vector<int>(table.candidates().begin(), table.candidates().end());
  };
  EXPECT_EQ(candidates(1e-3), (std::vector<int>{0, 3, 1}));
  EXPECT_EQ(candidates(9e-4), (std::vector<int>{0, 3}));
}

TEST(Timetable, WhatIsOutIsNotTried) {
  Record record = timed({1e-3, 1e-3, 1e-3, 1e-3});
  record.candidates[1].is_out = true;
  record.candidates[3].may_run = false;
  auto const table =
      Timetable::of_trials(record, {.num_calls = 100, .waiting_seconds = 1e-3, .budget = 1});
  EXPECT_EQ(
      std::vector<int>(table.candidates().begin(), table.candidates().end()),
      (std::vector<int>{0, 2})
  );
}

TEST(Timetable, JudgesByAllRounds) {
  Record const before = timed({1e-3, 5e-4, 1.2e-3});
  auto const table =
      Timetable::of_trials(before, {.num_calls = 1000, .waiting_seconds = 1e-3, .budget = 1});
  EXPECT_EQ(table.num_rounds(), 12);
  Record const after = table.judge(before, times(table, {1e-3, 5e-4, 1.2e-3}));
  EXPECT_EQ(after.num_rounds, 13);
  EXPECT_EQ(after.candidates[1].against_native, Evidence::of(12, 12, 12));
  EXPECT_FALSE(after.candidates[1].is_out);
  EXPECT_TRUE(after.candidates[2].is_out);
}

/// The one that is ahead for a while may lose against the native call later.
TEST(Timetable, WhoIsSlowerThanAnotherStaysIn) {
  Record const before = timed({1e-3, 5e-4, 6e-4});
  auto const table =
      Timetable::of_trials(before, {.num_calls = 1000, .waiting_seconds = 1e-3, .budget = 1});
  Record const after = table.judge(before, times(table, {1e-3, 5e-4, 6e-4}));
  EXPECT_FALSE(after.candidates[2].is_out);
}

TEST(Timetable, RoundsThatDidNotHappenSayNothing) {
  Record const before = timed({1e-3, 5e-4});
  auto const table =
      Timetable::of_trials(before, {.num_calls = 1000, .waiting_seconds = 1e-3, .budget = 1});
  auto seconds = times(table, {1e-3, 5e-4});
  std::fill(seconds.begin() + 5, seconds.end(), 0.0);
  Record const after = table.judge(before, seconds);
  // Of the third round only the first trial was made.
  EXPECT_EQ(after.num_rounds, before.num_rounds + 3);
  EXPECT_EQ(after.candidates[1].against_native, Evidence::of(2, 2, 2));
  EXPECT_TRUE(after.candidates[1].may_run);
}

TEST(Timetable, WhatTheLibraryRefusesIsNotTriedAgain) {
  Record const before = untried({1e-4, 2e-4});
  auto const table =
      Timetable::of_trials(before, {.num_calls = 100, .waiting_seconds = 1e-3, .budget = 1});
  Record const after = table.judge(before, times(table, {1e-3, 0, 9e-4}));
  EXPECT_FALSE(after.candidates[1].may_run);
  EXPECT_TRUE(after.candidates[2].may_run);
}

TEST(Timetable, WhatLosesByFarAtOnceIsNotTriedAgain) {
  Record const before = untried({1e-4, 2e-4});
  auto const table =
      Timetable::of_trials(before, {.num_calls = 100, .waiting_seconds = 1e-3, .budget = 1});
  Record const after = table.judge(before, times(table, {1e-3, 1.6e-3, 1.4e-3}));
  EXPECT_TRUE(after.candidates[1].is_out);
  EXPECT_FALSE(after.candidates[2].is_out);
}

TEST(Timetable, ChecksAWinnerInAFewCalls) {
  auto const table = Timetable::of_checks(2, 400);
  int num_native = 0;
  for (int call = 0; call < 400; ++call) {
    auto const slot = table.at(call);
    num_native += slot && slot->candidate == 0 ? 1 : 0;
    EXPECT_TRUE(!slot || slot->candidate == 0 || slot->candidate == 2) << call;
  }
  EXPECT_EQ(num_native, 20);
  EXPECT_TRUE(Timetable::of_checks(2, 399).is_empty());
}

TEST(Timetable, DropsAWinnerThatLosesAllChecks) {
  auto const table = Timetable::of_checks(1, 400);
  auto seconds = times(table, {1e-3, 2e-3});
  EXPECT_TRUE(table.is_native_faster(seconds));
  seconds[0] = 3e-3;
  EXPECT_FALSE(table.is_native_faster(seconds));
  EXPECT_FALSE(table.is_native_faster(times(table, {1e-3, 0})));
}

}  // namespace
}  // namespace espalier::learn
