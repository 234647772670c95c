// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/race.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/learn/race_program.hpp"

namespace espalier::learn {
namespace {

TEST(Race, TakesTheFastestWithinAHundredLongCalls) {
  Program program({.seconds = {4e-3, 5e-3, 1e-3, 2e-3}});
  program.run(100);
  EXPECT_TRUE(program.race().is_settled());
  EXPECT_EQ(program.race().standing(), 2);
}

TEST(Race, TakesTheFastestWithinAHundredShortCalls) {
  Program program({.seconds = {4e-4, 5e-4, 1e-4, 2e-4}});
  program.run(100);
  EXPECT_TRUE(program.race().is_settled());
  EXPECT_EQ(program.race().standing(), 2);
  EXPECT_NEAR(program.race().seconds(2), 1e-4, 4e-5);
}

TEST(Race, KeepsTheNativeCallWhereItIsTheFastest) {
  Program program({.seconds = {1e-4, 1.3e-4, 2e-4, 9e-4}});
  program.run(100);
  EXPECT_TRUE(program.race().is_settled());
  EXPECT_EQ(program.race().standing(), Race::native);
}

TEST(Race, DoesNotTakeWhatIsOnlyAsFast) {
  int num_taken = 0;
  for (int seed = 0; seed < 100; ++seed) {
    Program program({.seconds = {1e-4, 1e-4, 1e-4}, .noise = 0.5, .seed = seed});
    program.run(400);
    EXPECT_TRUE(program.race().is_settled());
    num_taken += program.race().standing() != Race::native ? 1 : 0;
  }
  // One in twenty for each of the two, at most.
  EXPECT_LE(num_taken, 10);
}

/// Single pairs are not far from toss-ups, and the program makes enough calls to find out.
TEST(Race, FindsWhatGainsAFifthAmongNoise) {
  int num_taken = 0;
  for (int seed = 0; seed < 100; ++seed) {
    Program program(
        {.seconds = {6e-4, 4.8e-4, 6.6e-4}, .noise = 0.5, .exchange = 1e-4, .seed = seed}
    );
    program.run(5000);
    num_taken += program.race().standing() == 1 ? 1 : 0;
  }
  EXPECT_GE(num_taken, 85);
}

/// Waiting for late ranks is a hundred times longer than any candidate takes.
TEST(Race, IsNotDeceivedBySkew) {
  Program program({.seconds = {4e-4, 2e-4}, .skew = 0.04});
  program.run(100);
  EXPECT_EQ(program.race().standing(), 1);
  EXPECT_NEAR(program.race().seconds(1), 2e-4, 4e-5);
}

TEST(Race, NeverLosesMoreThanAllowedHoweverSlowCandidatesAre) {
  for (double const native : {1e-6, 1e-4, 1e-2, 0.5}) {
    Program program({.seconds = {native, 30 * native, 2 * native, 1.1 * native}});
    program.run(3000);
    // What nobody has timed is expected to take twice as long as what was timed; this takes thirty
    // times as long, and one such trial may be made.
    EXPECT_LE(program.lost(), program.allowance().bound(program.elapsed()) + 30 * native) << native;
    EXPECT_EQ(program.race().standing(), Race::native) << native;
  }
}

TEST(Race, TriesNothingLongThatMayBeTooSlowForTheAllowance) {
  Program program({.seconds = {0.5, 0.1}});
  program.run(20);
  EXPECT_FALSE(program.race().wants_candidates());
  EXPECT_EQ(program.lost(), 0);
  program.run(1000);
  EXPECT_EQ(program.race().standing(), 1) << "the program has run for long enough by now";
}

/// The rank that comes last sees a fifth of what an exchange takes from the processors of all.
TEST(Race, ChargesWhatExchangesTakeFromAllRanks) {
  Program program({.seconds = {1e-2, 0.99e-2}, .exchange = 2e-4, .whole_exchange = 1e-3});
  program.run(3000);
  // Each counts for 1 to 2 ms here; the last ones may not be paid yet.
  EXPECT_GE(program.allowance().spent(), (program.num_trials() - 5) * 1e-3);
  EXPECT_LE(program.allowance().spent(), program.allowance().bound(program.elapsed()) + 5e-3);
  EXPECT_GT(program.num_trials(), 20);
}

/// Messages of an exchange wait behind those of the program: it takes nearly as long as a call.
TEST(Race, MakesFewExchangesWhereTheyTakeLong) {
  Program program({.seconds = {2e-2, 2e-2, 2e-2}, .exchange = 1.4e-2});
  program.run(60);
  double const cost = program.num_trials() * 1.4e-2;
  EXPECT_LE(cost, program.allowance().bound(program.elapsed()) + 1.4e-2);
  EXPECT_GE(program.num_trials(), 3);
}

/// A rank that runs ahead in a long call waits for the last one in the exchange behind it.
TEST(Race, LooksOnceAtCallsThatAnExchangeStops) {
  Program program({.seconds = {0.12, 0.06}});
  program.run(20);
  EXPECT_EQ(program.num_trials(), 1);
  EXPECT_GT(program.allowance().spent(), 0) << "of the look that was made";
}

/// The same where ranks wait for each other anyway.
TEST(Race, LooksAgainAtLongCallsInWhichRanksMeet) {
  Race meeting;
  meeting.let_ranks_meet();
  Program program({.seconds = {0.12, 0.06}, .race = meeting});
  program.run(20);
  EXPECT_GE(program.num_trials(), 3);
}

TEST(Race, CountsAQuarterOfWhatItStops) {
  Program program({.seconds = {0.02, 0.02}, .noise = 0, .exchange = 1e-6});
  program.run(5);
  EXPECT_EQ(program.num_trials(), 3);
  EXPECT_NEAR(program.allowance().spent(), 3 * 0.005, 1e-4);
}

/// In a broadcast of a few bytes behind large ones, which the root has run ahead of: charged as
/// soon as it is clear that these calls are no loop, in which the root waits for earlier ones of
/// them.
TEST(Race, CountsHalfOfWhatRanksWaitForOtherMessages) {
  auto const spent = [](double waits) {
    Program program({
        .seconds = {1e-5, 1e-5},
        .noise = 0,
        .exchange = 1e-6,
        .waits = waits,
        .allowance = 1,
    });
    program.run(60);
    return std::pair(program.allowance().spent(), program.num_trials());
  };
  auto const [with_waits, num_trials] = spent(4e-3);
  auto const [without, same_number] = spent(0);
  EXPECT_EQ(num_trials, same_number);
  constexpr int num_looks = 5;  // until that is clear; and what the last one cost is not known yet
  EXPECT_NEAR(with_waits - without, 2e-3 * (num_trials - num_looks - 1), 1e-3);
}

TEST(Race, TriesLittleWhereRanksWaitForOtherMessages) {
  Program program({.seconds = {1e-5, 5e-6}, .noise = 0, .exchange = 1e-6, .waits = 0.02});
  program.run(400);
  EXPECT_LE(program.num_trials(), 12);
}

/// Where ranks meet in each call they would have waited there.
TEST(Race, CountsNoWaitsWhereRanksMeet) {
  Race meeting;
  meeting.let_ranks_meet();
  Program program(
      {.seconds = {1e-5, 1e-5}, .noise = 0, .exchange = 1e-6, .waits = 4e-3, .race = meeting}
  );
  program.run(4);
  EXPECT_GT(program.num_trials(), 1);
  EXPECT_LT(program.allowance().spent(), 1e-4);
}

/// What is twice as fast gains more than the exchange behind it stops.
TEST(Race, CountsNothingForATrialThatIsFasterByMore) {
  Program program({.seconds = {0.02, 0.01}, .noise = 0, .exchange = 1e-6});
  program.run(12);
  EXPECT_GT(program.num_calls_of(1), 0);
  EXPECT_LE(program.allowance().spent(), 0.005 * (program.num_calls_of(Race::native) + 1));
}

/// All ranks waited a second for the root, and the call itself took a millisecond.
TEST(Race, TakesBackWhatWaitingForALateRootSeemedToCost) {
  Race race;
  while (!race.next().is_trial) {
    ASSERT_LT(race.num_calls(), 10);
  }
  Race::Own const own{.trial = 1e-3, .exchange = 1e-5};
  double const at_first = race.conclude({.allowance = 0.05, .minus_call = -1}, own);
  EXPECT_NEAR(at_first, 0.25, 1e-3);
  ASSERT_TRUE(race.wants_words());
  double const after = race.finish({.trial = 1e-3, .exchange = 1e-5, .allowance = 0.05 - at_first});
  EXPECT_NEAR(at_first + after, 0.25e-3, 5e-5);
}

TEST(Race, PutsOffItsFirstTrial) {
  Race race;
  while (!race.put_off_first_trial()) {
    ASSERT_FALSE(race.next().is_trial);
  }
  EXPECT_EQ(race.num_calls(), 2);
  while (!race.next().is_trial) {
    ASSERT_LT(race.num_calls(), 100);
  }
  EXPECT_EQ(race.num_calls(), 3 * 8);
}

/// What nothing is left for is looked at once, and then rarely.
TEST(Race, LooksOnceWhereNothingIsLeft) {
  Program program({.seconds = {2e-2, 1e-2}, .exchange = 1.4e-2, .allowance = 0});
  program.run(60);
  EXPECT_LE(program.num_trials(), 2);
}

/// A race costs 24 exchanges of 1 ms, as much as 240 of these calls take.
TEST(Race, BeginsWhenTheCallsTookAsLongAsItCosts) {
  Race waiting;
  waiting.wait_until_worth_it();
  Program program(
      {.seconds = {1e-4, 2e-5}, .exchange = 1e-6, .whole_exchange = 1e-3, .race = waiting}
  );
  program.run(100);
  EXPECT_EQ(program.num_trials(), 5) << "the native call only";
  EXPECT_EQ(program.num_calls_of(1), 0);
  program.run(4000);
  EXPECT_EQ(program.race().standing(), 1);
}

TEST(Race, DoesNotWaitWhereCallsTakeLong) {
  Race waiting;
  waiting.wait_until_worth_it();
  Program program({.seconds = {4e-4, 1e-4}, .race = waiting});
  program.run(100);
  EXPECT_EQ(program.race().standing(), 1);
}

TEST(Race, LeavesOutWhatIsRefused) {
  Program program({.seconds = {4e-4, 1e-4, 2e-4}, .refused = 1});
  program.run(100);
  EXPECT_EQ(program.race().standing(), 2);
}

TEST(Race, ChecksWhatItTook) {
  Program program({.seconds = {4e-4, 1e-4}});
  program.run(100);
  ASSERT_EQ(program.race().standing(), 1);
  program.kind_.seconds = {4e-4, 8e-4};
  program.run(1000);
  EXPECT_EQ(program.race().standing(), Race::native);
  program.kind_.seconds = {4e-4, 1e-4};
  program.run(100000);
  EXPECT_EQ(program.race().standing(), 1) << "and it changed back";
}

TEST(Race, DropsARuleThatMakesCallsSlower) {
  Program program({.seconds = {1e-4, 3e-4}, .race = Race::taken(Race::soon)});
  EXPECT_EQ(program.race().standing(), 1);
  program.run(200);
  EXPECT_EQ(program.race().standing(), Race::native);
}

TEST(Race, KeepsARuleThatIsRight) {
  Program program({.seconds = {3e-4, 1e-4}, .race = Race::taken(Race::soon)});
  program.run(100000);
  EXPECT_EQ(program.race().standing(), 1);
  EXPECT_LT(program.num_trials(), 60);
}

/// Ranks that ask only whether a call counts for more do the same at each call, see Program.
TEST(Race, LetsAllCallsPassThatOnlyCount) {
  Program program({.seconds = {3e-4, 1e-4}, .num_ranks = 2, .race = Race::taken(Race::soon)});
  program.run(31);
  EXPECT_EQ(program.num_passed(), 31);
  program.run(100000);
  EXPECT_EQ(program.race().num_calls(), 100031);
  // The native call runs in stretches and in single trials only.
  EXPECT_GT(program.num_trials(), 10);
  EXPECT_LE(program.num_passed(), 100031 - program.num_trials());
  EXPECT_GE(program.num_passed(), 100031 - 1000);
}

Race of_ranks_that_meet() {
  Race race;
  race.let_ranks_meet();
  return race;
}

void run_until_settled(Program& program) {
  while (!program.race().is_settled() && program.race().num_calls() < 1000) {
    program.run(1);
  }
}

TEST(Race, SharesExchangesAmongTheTrialsOfARoundWhereRanksMeet) {
  Program before({.seconds = {4e-4, 5e-4, 2e-4, 6e-4}});
  run_until_settled(before);
  Program program({.seconds = {4e-4, 5e-4, 2e-4, 6e-4}, .race = of_ranks_that_meet()});
  run_until_settled(program);
  EXPECT_EQ(program.race().standing(), 2);
  EXPECT_NEAR(program.race().seconds(2), 2e-4, 8e-5);
  EXPECT_LE(2 * program.num_trials(), before.num_trials());
}

/// From end to end both candidates are slower than the native call. The first one takes less time
/// of processors that all ranks share, so that a loop with it is twice as fast.
TEST(Race, SeesInTrialsWhatMakesALoopFaster) {
  Program program(
      {.seconds = {4e-4, 5e-4, 4.1e-4}, .paces = {4e-4, 2e-4, 4e-4}, .race = of_ranks_that_meet()}
  );
  program.run(300);
  EXPECT_EQ(program.race().standing(), 1);
  EXPECT_FALSE(program.race().is_slower_in_stretches());
}

TEST(Race, LeavesOutWhatIsRefusedInARoundThatSharesAnExchange) {
  Program program({.seconds = {4e-4, 1e-4, 2e-4}, .refused = 1, .race = of_ranks_that_meet()});
  program.run(200);
  EXPECT_EQ(program.race().standing(), 2);
  EXPECT_FALSE(program.race().record().candidates.at(1).may_run);
}

TEST(Race, TriesOneAfterTheOtherWhatARoundCouldLoseTooMuchWith) {
  Program program({.seconds = {9e-4, 3e-2, 3e-4, 3e-2}, .work = 1e-2, .race = of_ranks_that_meet()}
  );
  program.run(3000);
  EXPECT_EQ(program.race().standing(), 2);
  EXPECT_LE(program.lost(), program.allowance().bound(program.elapsed()) + 6e-2);
}

/// What lies between the calls of a trial is not in its time.
TEST(Race, DoesNotCountWhatProgramsDoBetweenTheCallsOfATrial) {
  Program program(
      {.seconds = {2e-4, 1e-4}, .work = 1e-2, .work_noise = 1e-2, .race = of_ranks_that_meet()}
  );
  program.run(200);
  EXPECT_NEAR(program.race().seconds(1), 1e-4, 2e-5);
}

/// From end to end the candidate is twice as fast. In a loop of the native call, the next one
/// begins before the last rank has its result.
TEST(Race, DoesNotTakeWhatMakesTheLoopSlower) {
  for (double const work : {0.0, 1e-5}) {
    Program program({.seconds = {4e-4, 2e-4}, .paces = {1.5e-4, 2e-4}, .work = work});
    program.run(300);
    EXPECT_EQ(program.race().standing(), Race::native);
    EXPECT_TRUE(program.race().is_settled());
    EXPECT_LE(program.lost(), 0.05);
    EXPECT_TRUE(program.race().record().candidates.at(1).is_out) << "for later runs";
    program.run(20000);
    EXPECT_EQ(program.race().standing(), Race::native);
    EXPECT_LT(program.num_calls_of(1), 500) << "checks are rare";
    EXPECT_LE(program.lost(), program.allowance().bound(program.elapsed()));
  }
}

/// From end to end the candidate takes twice as long, but the loop is faster with it.
TEST(Race, TakesWhatMakesTheLoopFaster) {
  Program program({.seconds = {2e-4, 4e-4, 3e-4}, .paces = {2e-4, 1e-4, 3e-4}, .work = 1e-5});
  program.run(140);
  EXPECT_EQ(program.race().standing(), 1);
  EXPECT_TRUE(program.race().is_settled());
  EXPECT_NEAR(program.race().seconds(1), 1.1e-4, 5e-5) << "with what lies between the calls";
  EXPECT_LE(program.num_trials(), 25);
}

/// Stretches of calls that take so long together are as steady as long calls.
TEST(Race, TakesWhatIsClearlyFasterInALoopAfterTwoStretches) {
  Program program({.seconds = {1e-3, 5.5e-4, 1.2e-3}, .noise = 0, .work = 0});
  program.run(85);
  EXPECT_EQ(program.race().standing(), 1);
  EXPECT_LE(program.race().num_pairs(), 3);
}

TEST(Race, DropsWhatIsClearlySlowerInALoopAfterTwoStretches) {
  Program program({.seconds = {1e-3, 1.7e-3}, .noise = 0, .work = 0});
  program.run(300);
  EXPECT_EQ(program.race().standing(), Race::native);
  EXPECT_TRUE(program.race().is_settled());
  EXPECT_LE(program.num_calls_of(1), 16) << "a single call and three stretches at most";
}

/// Of longer calls, fewer make a stretch.
TEST(Race, MakesShortStretchesOfCallsThatTakeLong) {
  Program program({.seconds = {2.5e-3, 1.4e-3}, .work = 0});
  program.run(55);
  EXPECT_EQ(program.race().standing(), 1);
}

TEST(Race, IsRarelyDeceivedByStretchesThatWereDisturbed) {
  int num_taken = 0;
  constexpr int num_programs = 400;
  for (int seed = 0; seed < num_programs; ++seed) {
    Program program({.seconds = {1e-3, 1e-3}, .noise = 0.2, .work = 0, .seed = seed});
    program.run(150);
    num_taken += program.race().standing() == 1 ? 1 : 0;
  }
  EXPECT_LE(num_taken, num_programs / 20);
}

/// The native call is looked at when more may be spent, and ranks are ahead of each other then.
TEST(Race, UsesNoStretchOfALoopThatBeginsWhileRanksAreAhead) {
  Program program({.seconds = {2e-3, 1e-2}, .paces = {2e-4, 1e-2}, .noise = 0, .work = 0});
  program.run(3000);
  EXPECT_EQ(program.race().standing(), Race::native);
  EXPECT_NEAR(program.race().seconds(Race::native), 2e-4, 4e-5);
}

/// Calls come far apart at first, and single calls are tried, as long as the race goes on.
TEST(Race, TriesSingleCallsWhereTheyComeFarApart) {
  Program program({.seconds = {4e-4, 2e-4}, .paces = {1e-4, 2e-4}, .work = 2e-3});
  program.run(100);
  EXPECT_EQ(program.race().standing(), 1);
  EXPECT_FALSE(program.race().record().is_of_loop);
}

/// A trial that would lose too much is left out of the rounds of a loop; others go on.
TEST(Race, LeavesOutOfALoopWhatTheAllowanceDoesNotCover) {
  Program program({.seconds = {1e-3, 2e-2, 2e-4}, .work = 0});
  program.run(300);
  EXPECT_EQ(program.race().standing(), 2);
  EXPECT_LE(program.num_calls_of(1), 1);
}

TEST(Race, DropsARuleThatMakesTheLoopSlower) {
  Program program(
      {.seconds = {4e-4, 2e-4}, .paces = {1e-4, 2e-4}, .work = 0, .race = Race::taken(Race::soon)}
  );
  program.run(200);
  EXPECT_EQ(program.race().standing(), Race::native);
}

TEST(Race, KeepsAWinnerThatMakesTheLoopFaster) {
  Program program({.seconds = {4e-4, 2e-4}, .paces = {2e-4, 1e-4}, .work = 0});
  program.run(20000);
  EXPECT_EQ(program.race().standing(), 1);
  EXPECT_LT(program.num_calls_of(Race::native), 400);
}

/// What a program does between its calls differs by more than the calls take.
TEST(Race, KeepsAWinnerWhereOtherThingsTakeMostTime) {
  int num_kept = 0;
  for (int seed = 0; seed < 20; ++seed) {
    Program program({.seconds = {4e-4, 2e-4}, .work_noise = 5e-3, .seed = 100 + seed});
    program.run(3000);
    num_kept += program.race().standing() == 1 ? 1 : 0;
    EXPECT_LE(program.lost(), 0.05);
    EXPECT_LE(program.allowance().spent(), 0.05 + 8 * 5e-3) << "a stretch of the program's own";
  }
  EXPECT_GE(num_kept, 16);
}

TEST(Race, DropsARuleThatIsRefused) {
  Program program({.seconds = {3e-4, 1e-4}, .refused = 1, .race = Race::taken(Race::soon)});
  program.run(1000);
  EXPECT_EQ(program.race().standing(), Race::native);
  EXPECT_LT(program.num_trials(), 10);
}

TEST(Race, HasNoRecordOfWhatNobodyTried) {
  Program program({.seconds = {1e-3, 1e-3}});
  program.run(2);
  EXPECT_TRUE(program.race().record().candidates.empty());
}

Race any_race(int number) {
  Record const record{.candidates = {{.seconds = 0.02}, {.predicted = 0.01}, {.predicted = 0.03}}};
  switch (number % 4) {
  case 0:
    return Race::taken(Race::soon);
  case 1:
    return Race::resumed(record, {.allowance = 0.05, .error_of_model = {.factor = 1}});
  default:
    return Race();
  }
}

/// Any times on any rank, as if each rank lived in another world: all decide equally.
TEST(Race, DecidesEquallyOnAllRanksWhateverTheySee) {
  std::mt19937 random(3);
  auto const any = [&] { return std::exponential_distribution<double>(1000)(random); };
  for (int trial = 0; trial < 300; ++trial) {
    std::size_t const num_ranks = 2 + random() % 6;
    std::vector<Race> races(num_ranks, any_race(trial));
    for (int call = 0; call < 300; ++call) {
      Race::Turn const turn = races.front().next();
      for (std::size_t rank = 1; rank < num_ranks; ++rank) {
        Race::Turn const other = races[rank].next();
        ASSERT_EQ(other.candidate, turn.candidate);
        ASSERT_EQ(other.is_trial, turn.is_trial);
        ASSERT_EQ(other.begins_stretch, turn.begins_stretch);
      }
      if (!turn.is_trial) {
        continue;
      }
      Race::Words agreed{.allowance = 0.02};
      for (Race const& race : races) {
        take_least(agreed, race.words(any() * 20, any()));
      }
      bool const is_refused = turn.candidate != 0 && random() % 50 == 0;
      std::vector<double> const predicted{1, 2, 3};
      for (Race& race : races) {
        race.conclude(
            agreed,
            {.trial = any(), .exchange = any(), .whole_exchange = any(), .was_refused = is_refused}
        );
        ASSERT_EQ(race.wants_words(), races.front().wants_words());
        if (race.wants_candidates()) {
          race.enter(predicted);
        }
      }
      if (races.front().wants_words()) {
        agreed = {.allowance = 0.02};
        for (Race const& race : races) {
          take_least(agreed, race.words(any() * 20, any()));
        }
        for (Race& race : races) {
          race.finish(agreed);
        }
      }
    }
  }
}

}  // namespace
}  // namespace espalier::learn
