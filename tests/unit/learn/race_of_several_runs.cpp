// SPDX-License-Identifier: Apache-2.0
/// Races that end before anything is decided, and those that go on with them in later runs.

#include <vector>

#include <gtest/gtest.h>

#include "espalier/learn/race.hpp"
#include "espalier/learn/record.hpp"
#include "tests/unit/learn/race_program.hpp"

namespace espalier::learn {
namespace {

/// A rule for calls of 1 ms, whose stretches the program disturbs as long as this lets them.
/// @return after the first check that found nothing left to spend
Race after_unpaid_check(int pairs_lost) {
  constexpr double exchange = 1e-5;
  Race race = Race::taken(Race::soon);
  int num_stretches = 0;
  for (int call = 0; call < 400; ++call) {
    Race::Turn const turn = race.next();
    if (!turn.is_trial) {
      continue;
    }
    bool const is_stretch = race.ends_stretch();
    num_stretches += is_stretch ? 1 : 0;
    double const allowance = num_stretches < 2 * pairs_lost ? 1 : 1e-6;
    double const disturbed = turn.candidate == Race::native ? 0 : 1e-3;
    double const seconds = is_stretch ? 8e-3 + disturbed : 1e-3;
    race.conclude(race.words(allowance, 0), {.trial = seconds + exchange, .exchange = exchange});
    if (race.wants_words()) {
      race.finish(race.words(allowance, 0));
    }
  }
  return race;
}

TEST(RaceOfSeveralRuns, FewPairsThatWereDisturbedAreNoVerdict) {
  Race const one = after_unpaid_check(1);
  EXPECT_EQ(one.standing(), Race::native);
  EXPECT_FALSE(one.is_slower_in_stretches());
  Race const four = after_unpaid_check(4);
  EXPECT_EQ(four.standing(), Race::native);
  EXPECT_TRUE(four.is_slower_in_stretches());
}

/// A program that makes two long calls in a run, and no more: each run goes on where the last one
/// ended.
/// @return after how many runs the candidate was taken
int runs_until_taken(Record record, double native, double seconds, bool sizes_vary = false) {
  for (int num_runs = 0; num_runs < 20; ++num_runs) {
    Race race = Race::resumed(record, {.allowance = 0.05, .error_of_model = {.factor = 1.5}});
    if (sizes_vary) {
      race.let_sizes_vary();
    }
    if (race.is_settled()) {
      EXPECT_EQ(race.standing(), 1);
      EXPECT_NEAR(race.seconds(1), seconds, seconds / 2);
      return num_runs;
    }
    Program program({.seconds = {native, seconds}, .race = race});
    program.run(2);
    EXPECT_LE(program.allowance().spent(), program.allowance().bound(1) + native / 4);
    record = program.race().record();
  }
  return -1;
}

int runs_until_taken(double seconds, bool sizes_vary = false) {
  Record const known{.candidates = {{.seconds = 0.02}, {.predicted = 0.004}}};
  return runs_until_taken(known, 0.02, seconds, sizes_vary);
}

TEST(RaceOfSeveralRuns, DecidesInSeveralShortRuns) {
  EXPECT_EQ(runs_until_taken(0.012), 5);
}

TEST(RaceOfSeveralRuns, NeedsTwoRunsWhereLongCallsAreClearlyFaster) {
  EXPECT_EQ(runs_until_taken(0.004), 2);
  EXPECT_EQ(runs_until_taken(0.004, true), 5) << "some of these calls may be smaller";
}

/// Half of it may be lost again. Times of short calls vary too much to be added up.
TEST(RaceOfSeveralRuns, GainsWhatCandidatesSaveInTrialsOfLongCalls) {
  Program program({.seconds = {0.02, 0.005}, .noise = 0, .exchange = 1e-6});
  program.run(12);
  ASSERT_GT(program.num_calls_of(1), 0);
  EXPECT_GE(program.allowance().gained(), 0.0149);
  EXPECT_LE(program.allowance().gained(), program.num_calls_of(1) * 0.0151);
  Program of_short({.seconds = {2e-3, 1e-3}, .noise = 0});
  of_short.run(100);
  ASSERT_GT(of_short.num_calls_of(1), 0);
  EXPECT_EQ(of_short.allowance().gained(), 0);
}

/// An exchange behind the native call stops more than may be lost, and behind the candidate less.
/// What that one saves pays for the other, in whichever order they are due.
TEST(RaceOfSeveralRuns, LetsACandidatePayForTheNativeCall) {
  Record const known{.candidates = {{.seconds = 0.26}, {.predicted = 0.04}}};
  EXPECT_EQ(runs_until_taken(known, 0.26, 0.06), 2);
}

/// Nobody has looked at the native call, which only its root left early.
TEST(RaceOfSeveralRuns, LooksFirstAtTheNativeCallThatNobodyKnows) {
  Record const shorter{.candidates = {{.seconds = 0}, {.predicted = 0.02}}};
  EXPECT_EQ(runs_until_taken(shorter, 0.1, 0.02), 3);
  Record const longer{.candidates = {{.seconds = 0}, {.predicted = 0.04}}};
  EXPECT_EQ(runs_until_taken(longer, 0.26, 0.06), 3);
}

/// The first call of each run takes three times as long as the second, whoever makes it.
TEST(RaceOfSeveralRuns, IsNotDeceivedByTheFirstCallOfEachRun) {
  Record record{.candidates = {{.seconds = 0.03}, {.predicted = 0.004}}};
  for (int run = 0; run < 12; ++run) {
    Race race = Race::resumed(record, {.allowance = 0.05, .error_of_model = {.factor = 1.5}});
    ASSERT_EQ(race.standing(), Race::native) << run;
    for (double const seconds : {0.03, 0.01}) {
      if (race.next().is_trial) {
        race.conclude({.allowance = 0.05}, {.trial = seconds, .exchange = 1e-5});
        race.finish({.trial = seconds, .exchange = 1e-5, .allowance = 0.05});
      }
    }
    record = race.record();
  }
  EXPECT_GT(record.candidates[1].against_native.num_pairs(), 3);
}

/// Every twentieth call of either takes three times as long.
TEST(RaceOfSeveralRuns, IsRarelyDeceivedByLongCallsThatWereDisturbed) {
  int num_taken = 0;
  constexpr int num_programs = 400;
  for (int seed = 0; seed < num_programs; ++seed) {
    Program program({.seconds = {0.02, 0.02}, .noise = 0.2, .seed = seed});
    program.run(40);
    num_taken += program.race().standing() == 1 ? 1 : 0;
  }
  EXPECT_LE(num_taken, num_programs / 20);
}

/// Each run has one call, so that the native call and the candidate never meet in one of them.
TEST(RaceOfSeveralRuns, GoesOnWithinARound) {
  Record record{.candidates = {{.seconds = 0.02}, {.predicted = 0.004}}};
  std::vector<int> runs;
  for (int run = 0; run < 4; ++run) {
    Race race = Race::resumed(record, {.allowance = 0.05, .error_of_model = {.factor = 1.5}});
    Race::Turn const turn = race.next();
    ASSERT_TRUE(turn.is_trial);
    runs.push_back(turn.candidate);
    double const seconds = turn.candidate == 0 ? 0.02 : 0.005;
    race.conclude({.allowance = 0.05}, {.trial = seconds, .exchange = 1e-5});
    ASSERT_TRUE(race.wants_words());
    race.finish({.trial = seconds, .exchange = 1e-5, .allowance = 0.05});
    EXPECT_FALSE(race.wants_words());
    record = race.record();
  }
  EXPECT_EQ(runs, (std::vector<int>{1, 0, 0, 1}));
  EXPECT_EQ(record.num_rounds, 2);
  EXPECT_EQ(record.candidates[1].against_native.num_wins(), 2);
}

TEST(RaceOfSeveralRuns, TriesNothingInALaterRunThatTheAllowanceDoesNotCover) {
  Record const record{.candidates = {{.seconds = 0.4}, {.predicted = 0.004}}};
  Race unsure = Race::resumed(record, {.allowance = 0.05});
  ASSERT_EQ(unsure.next().candidate, Race::native);
  unsure.conclude({.allowance = 0.05}, {.trial = 0.4, .exchange = 1e-5});
  unsure.finish({.trial = 0.4, .exchange = 1e-5, .allowance = 0.05});
  for (int call = 0; call < 20; ++call) {
    EXPECT_EQ(unsure.next().candidate, Race::native) << call;
  }
  // The model is known to be wrong by a factor of 10: even twice as long is less than 0.4 s.
  Race sure = Race::resumed(record, {.allowance = 0.05, .error_of_model = {.factor = 10}});
  EXPECT_EQ(sure.next().candidate, 1);
}

/// @return what runs in the first call of a run
int first_of_run(Record const& record, ErrorOfModel const& error) {
  return Race::resumed(record, {.allowance = 0.05, .error_of_model = error}).next().candidate;
}

TEST(RaceOfSeveralRuns, BelievesAModelOfLongCallsUntilItIsFoundWrong) {
  Record const record{.candidates = {{.seconds = 0.4}, {.predicted = 0.08}}};
  EXPECT_EQ(first_of_run(record, {}), 1);
  EXPECT_EQ(first_of_run(record, {.factor = 3}), Race::native);
}

TEST(RaceOfSeveralRuns, KnowsThatAModelIsWrongBySecondsOrByAFactor) {
  Record const record{.candidates = {{.seconds = 0.04}, {.predicted = 0.001}}};
  EXPECT_EQ(first_of_run(record, {.factor = 1, .seconds = 0.005}), 1);
  EXPECT_EQ(first_of_run(record, {.factor = 1, .seconds = 0.04}), Race::native);
  EXPECT_EQ(first_of_run(record, {.factor = 5}), 1);
  EXPECT_EQ(first_of_run(record, {.factor = 40}), Race::native);
}

TEST(RaceOfSeveralRuns, BeginsLateWhereThatIsAsked) {
  Race race;
  race.begin_with_call(24);
  for (int call = 1; call < 24; ++call) {
    EXPECT_FALSE(race.next().is_trial) << call;
  }
  EXPECT_TRUE(race.next().is_trial);
}

/// Two candidates, of which the first has won `num_wins` of as many pairs, and nobody has tried the
/// other.
Record record_of(int num_wins, double native, double winner, double predicted) {
  Record record{
      .candidates =
          {{.seconds = native}, {.predicted = winner, .seconds = winner}, {.predicted = predicted}},
      .num_rounds = num_wins,
  };
  record.candidates[1].against_native = Evidence::of(num_wins, num_wins);
  return record;
}

/// A round is planned when a race goes on, and its calls begin late, too.
TEST(RaceOfSeveralRuns, BeginsARoundThatSharesAnExchangeLateWhereThatIsAsked) {
  constexpr std::int64_t late = 100;
  Race race = Race::resumed(
      record_of(0, 1e-4, 1e-4, 1e-4),
      {.allowance = 1, .error_of_model = {.factor = 1}, .ranks_meet = true}
  );
  race.begin_with_call(late);
  for (std::int64_t call = 1; call < late; ++call) {
    Race::Turn const turn = race.next();
    ASSERT_FALSE(turn.is_trial || turn.adds_up) << call;
    ASSERT_EQ(turn.candidate, Race::native);
  }
  std::vector<int> candidates;
  for (int call = 0; call < 3; ++call) {
    Race::Turn const turn = race.next();
    EXPECT_EQ(turn.begins_stretch, call == 0);
    EXPECT_EQ(turn.is_trial, call == 2);
    candidates.push_back(turn.candidate);
  }
  EXPECT_EQ(candidates, (std::vector{0, 1, 2}));
}

/// What exchanges cost counts when the next run thinks about going on.
TEST(RaceOfSeveralRuns, KnowsWhatRoundsThatShareExchangesCost) {
  constexpr double exchange = 1e-4;
  Program::Kind kind{.seconds = {4e-4, 2e-4, 3e-4}, .exchange = exchange};
  kind.race = Race::resumed(
      record_of(0, 4e-4, 2e-4, 3e-4),
      {.allowance = 1, .error_of_model = {.factor = 1}, .ranks_meet = true}
  );
  Program program(kind);
  while (program.race().standings().num_rounds() < 2) {
    program.run(1);
  }
  EXPECT_LE(program.num_trials(), 3);
  EXPECT_GE(program.race().price_of_exchange(), exchange);
  program.run(100);
  EXPECT_EQ(program.race().standing(), 1);
  EXPECT_GE(program.allowance().spent(), (program.num_trials() - 1) * exchange);
}

/// Alone the candidate is slower than the native call, in a loop it is faster.
TEST(RaceOfSeveralRuns, GoesOnWithTheRaceOfALoop) {
  Program::Kind const kind{.seconds = {2e-4, 4e-4}, .paces = {2e-4, 1e-4}, .work = 1e-5};
  Program first(kind);
  first.run(50);
  Record const record = first.race().record();
  EXPECT_TRUE(record.is_of_loop);
  EXPECT_FALSE(first.race().is_settled());
  Program::Kind next = kind;
  next.race = Race::resumed(record, {.allowance = 0.05, .error_of_model = {.factor = 1}});
  Program second(next);
  second.run(120);
  EXPECT_EQ(second.race().standing(), 1);
}

/// It won in five single calls, and the run ended before its first check. The loop is slower with
/// it.
TEST(RaceOfSeveralRuns, ChecksInALaterRunWhatWonInSingleCalls) {
  Record record{.candidates = {{.seconds = 4e-4}, {.predicted = 2e-4, .seconds = 2e-4}}};
  record.num_rounds = 5;
  record.candidates[1].against_native = Evidence::of(5, 5);
  Program::Kind kind{.seconds = {4e-4, 2e-4}, .paces = {1e-4, 2e-4}, .work = 0};
  EXPECT_EQ(Race::resumed(record, {.allowance = 0.05}).standing(), 1);
  kind.race = Race::resumed(record, {.allowance = 0.05, .checks_winner = true});
  EXPECT_FALSE(kind.race.is_settled());
  Program program(kind);
  program.run(200);
  EXPECT_EQ(program.race().standing(), Race::native);
  EXPECT_TRUE(program.race().is_slower_in_stretches());
}

/// A run of calls of 0.1 ms that goes on with a race in which nothing is faster than the native
/// call.
/// @return seconds that it lost, by slower calls and exchanges
double lost_in_a_run(int num_calls, double share) {
  constexpr double exchange = 1e-4;
  Program::Kind kind{.seconds = {1e-4, 2e-4, 2e-4}, .exchange = exchange, .work = 0};
  kind.race = Race::resumed(
      record_of(0, 1e-4, 1e-4, 1e-4),
      {
          .allowance = 0.05,
          .error_of_model = {.factor = 2},
          .price_of_exchange = exchange,
          .share = share,
      }
  );
  Program program(kind);
  program.run(num_calls);
  return program.lost() + program.num_trials() * exchange;
}

TEST(RaceOfSeveralRuns, LosesAShareOfItsCallsInLaterRuns) {
  constexpr double of_call = 1e-4;
  EXPECT_GT(lost_in_a_run(140, 100), 0.1 * 140 * of_call);
  for (int const num_calls : {10, 140, 400, 2000}) {
    EXPECT_LE(lost_in_a_run(num_calls, 0.05), 0.06 * num_calls * of_call) << num_calls;
  }
  EXPECT_GT(lost_in_a_run(2000, 0.05), 0) << "it goes on all the same";
}

TEST(RaceOfSeveralRuns, TriesALongCallAtOnceWhereAModelSaysThatItIsFaster) {
  Race race = Race::resumed(
      {.candidates = {{.seconds = 0.08}, {.predicted = 0.01}}},
      {.allowance = 0.05, .price_of_exchange = 1e-3, .share = 0.05}
  );
  EXPECT_EQ(race.next().candidate, 1);
}

/// The first broadcast of Quantum ESPRESSO took 53 ms, all others 0.7 s, and there are three in a
/// run.
TEST(RaceOfSeveralRuns, LooksAtLongCallsAgainOfWhichTheFirstOneWasShort) {
  Race race = Race::resumed(
      {.candidates = {{.seconds = 0.053}, {.predicted = 0.077}}},
      {.allowance = 0.05, .price_of_exchange = 1e-3, .share = 0.05}
  );
  int num_trials = 0;
  for (int call = 0; call < 3; ++call) {
    num_trials += race.next().is_trial ? 1 : 0;
  }
  EXPECT_GE(num_trials, 1);
}

}  // namespace
}  // namespace espalier::learn
