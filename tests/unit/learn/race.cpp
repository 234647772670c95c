// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/race.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/learn/allowance.hpp"

namespace espalier::learn {
namespace {

/// A program whose ranks make the same call over and over, each with a race of its own.
class Program {
public:
  struct Kind {
    std::vector<double> seconds;  ///< of each candidate, the native call first
    /// From one call to the next where no rank waits for others; empty: the same.
    std::vector<double> paces = {};
    double noise = 0.1;  ///< most of the times are longer by up to so much
    double skew = 0;     ///< ranks come up to so much later than the first
    double exchange = 1e-5;
    double work = 1e-3;     ///< between two calls
    double work_noise = 0;  ///< longer by up to so much
    int num_ranks = 5;
    int refused = -1;  ///< a candidate that does not fit
    int seed = 7;
    Race race = {};
  };

  explicit Program(Kind kind)
      : kind_(std::move(kind)), races_(static_cast<std::size_t>(kind_.num_ranks), kind_.race) {}

  void run(int num_calls) {
    for (int i = 0; i < num_calls; ++i) {
      call();
    }
  }

  [[nodiscard]] Race const& race() const { return races_.front(); }

  [[nodiscard]] Allowance const& allowance() const { return allowance_; }

  [[nodiscard]] double elapsed() const { return elapsed_; }

  [[nodiscard]] int num_trials() const { return num_trials_; }

  [[nodiscard]] int num_calls_of(int candidate) const {
    return num_calls_of_[static_cast<std::size_t>(candidate)];
  }

  /// Seconds that calls took longer than the native call takes.
  [[nodiscard]] double lost() const { return lost_; }

  Kind kind_;

private:
  void call() {
    Race::Turn const turn = races_.front().next();
    for (std::size_t rank = 1; rank < races_.size(); ++rank) {
      Race::Turn const other = races_[rank].next();
      ASSERT_EQ(other.candidate, turn.candidate) << "rank " << rank;
      ASSERT_EQ(other.is_trial, turn.is_trial) << "rank " << rank;
    }
    bool const is_refused = turn.candidate == kind_.refused;
    int const runs = is_refused ? Race::native : turn.candidate;
    bool const is_alone = turn.is_trial && (turn.begins_stretch || !races_.front().ends_stretch());
    // In a stretch only the first call takes its whole time: it comes right after an exchange.
    double const seconds = draw(is_alone || turn.begins_stretch ? kind_.seconds : paces(), runs);
    double const work = kind_.work + kind_.work_noise * uniform();
    stretch_ = turn.begins_stretch ? seconds : stretch_ + work + seconds;
    elapsed_ += work + seconds;
    lost_ += std::max(0.0, paces()[static_cast<std::size_t>(runs)] - paces().front());
    ++num_calls_of_[static_cast<std::size_t>(runs)];
    if (turn.is_trial) {
      ++num_trials_;
      elapsed_ += kind_.exchange;
      exchange(races_.front().ends_stretch() ? stretch_ : seconds, is_refused);
    }
  }

  [[nodiscard]] std::vector<double> const& paces() const {
    return kind_.paces.empty() ? kind_.seconds : kind_.paces;
  }

  /// Ranks see different times: the last one to come waits for nobody.
  void exchange(double seconds, bool is_refused) {
    Race::Words agreed{.allowance = allowance_.left(elapsed_)};
    for (Race const& race : races_) {
      Race::Words const words = race.words(allowance_.left(elapsed_) + uniform());
      agreed.trial = std::min(agreed.trial, words.trial);
      agreed.exchange = std::min(agreed.exchange, words.exchange);
    }
    double charged = -1;
    for (std::size_t rank = 0; rank < races_.size(); ++rank) {
      double const waited = rank + 1 == races_.size() ? 0 : kind_.skew * uniform();
      Race::Own const own{
          .trial = seconds + kind_.exchange + waited,
          .exchange = kind_.exchange * (rank == 0 ? 1 : 1 + uniform()),
          .was_refused = is_refused,
      };
      double const lost = races_[rank].conclude(agreed, own);
      ASSERT_TRUE(charged < 0 || lost == charged);
      charged = lost;
    }
    allowance_.charge(charged);
    exchange_again();
    if (races_.front().wants_candidates()) {
      for (Race& race : races_) {
        race.enter(std::vector<double>(kind_.seconds.begin() + 1, kind_.seconds.end()));
      }
    }
  }

  void exchange_again() {
    if (!races_.front().wants_words()) {
      return;
    }
    Race::Words agreed{.allowance = allowance_.left(elapsed_)};
    for (Race const& race : races_) {
      ASSERT_TRUE(race.wants_words());
      Race::Words const words = race.words(agreed.allowance);
      agreed.trial = std::min(agreed.trial, words.trial);
      agreed.exchange = std::min(agreed.exchange, words.exchange);
    }
    double charged = 0;
    for (Race& race : races_) {
      charged = race.finish(agreed);
    }
    allowance_.charge(charged);
  }

  double draw(std::vector<double> const& seconds, int candidate) {
    double const noise = uniform() < 0.05 ? 10 * kind_.noise : kind_.noise * uniform();
    return seconds[static_cast<std::size_t>(candidate)] * (1 + noise);
  }

  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  std::vector<Race> races_;
  Allowance allowance_{0.05, 0.01};
  std::mt19937 random_{static_cast<unsigned>(kind_.seed)};
  double elapsed_ = 0;
  double lost_ = 0;
  double stretch_ = 0;  ///< seconds of the one underway
  int num_trials_ = 0;
  std::vector<int> num_calls_of_ = std::vector<int>(8);  ///< each candidate
};

TEST(Race, TakesTheFastestWithinAHundredCalls) {
  Program program({.seconds = {4e-4, 5e-4, 1e-4, 2e-4}});
  program.run(100);
  EXPECT_TRUE(program.race().is_settled());
  EXPECT_EQ(program.race().standing(), 2);
  EXPECT_NEAR(program.race().seconds(2), 1e-4, 2e-5);
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

/// From end to end the candidate is twice as fast. In a loop of the native call, the next one
/// begins before the last rank has its result.
TEST(Race, DropsAWinnerThatMakesTheLoopSlower) {
  for (double const work : {0.0, 1e-5}) {
    Program program({.seconds = {4e-4, 2e-4}, .paces = {1e-4, 2e-4}, .work = work});
    program.run(300);
    EXPECT_EQ(program.race().standing(), Race::native);
    EXPECT_TRUE(program.race().is_slower_in_stretches());
    EXPECT_LE(program.lost(), 0.05);
    EXPECT_TRUE(program.race().record().candidates.at(1).is_out) << "for later runs";
    program.run(20000);
    EXPECT_EQ(program.race().standing(), Race::native);
    EXPECT_LT(program.num_calls_of(1), 500) << "checks are rare";
    EXPECT_LE(program.lost(), program.allowance().bound(program.elapsed()));
  }
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
    EXPECT_LE(program.allowance().spent(), 0.05);
  }
  EXPECT_GE(num_kept, 16);
}

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
    race.conclude(race.words(allowance), {.trial = seconds + exchange, .exchange = exchange});
    if (race.wants_words()) {
      race.finish(race.words(allowance));
    }
  }
  return race;
}

TEST(Race, FewPairsThatWereDisturbedAreNoVerdict) {
  Race const one = after_unpaid_check(1);
  EXPECT_EQ(one.standing(), Race::native);
  EXPECT_FALSE(one.is_slower_in_stretches());
  Race const four = after_unpaid_check(4);
  EXPECT_EQ(four.standing(), Race::native);
  EXPECT_TRUE(four.is_slower_in_stretches());
}

TEST(Race, DropsARuleThatIsRefused) {
  Program program({.seconds = {3e-4, 1e-4}, .refused = 1, .race = Race::taken(Race::soon)});
  program.run(1000);
  EXPECT_EQ(program.race().standing(), Race::native);
  EXPECT_LT(program.num_trials(), 10);
}

/// A program that makes two long calls in a run, and no more: each run goes on where the last one
/// ended.
/// @return after how many runs the candidate was taken
int runs_until_taken(double seconds, bool sizes_vary = false) {
  Record record{.candidates = {{.seconds = 0.02}, {.predicted = 0.004}}};
  for (int num_runs = 0; num_runs < 20; ++num_runs) {
    Race race = Race::resumed(record, 0.05, 1.5);
    if (sizes_vary) {
      race.let_sizes_vary();
    }
    if (race.is_settled()) {
      EXPECT_EQ(race.standing(), 1);
      EXPECT_NEAR(race.seconds(1), seconds, seconds / 2);
      return num_runs;
    }
    Program program({.seconds = {0.02, seconds}, .race = race});
    program.run(2);
    record = program.race().record();
  }
  return -1;
}

TEST(Race, DecidesInSeveralShortRuns) {
  EXPECT_EQ(runs_until_taken(0.012), 5);
}

TEST(Race, NeedsTwoRunsWhereLongCallsAreClearlyFaster) {
  EXPECT_EQ(runs_until_taken(0.004), 2);
  EXPECT_EQ(runs_until_taken(0.004, true), 5) << "some of these calls may be smaller";
}

/// The first call of each run takes three times as long as the second, whoever makes it.
TEST(Race, IsNotDeceivedByTheFirstCallOfEachRun) {
  Record record{.candidates = {{.seconds = 0.03}, {.predicted = 0.004}}};
  for (int run = 0; run < 12; ++run) {
    Race race = Race::resumed(record, 0.05, 1.5);
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
TEST(Race, IsRarelyDeceivedByLongCallsThatWereDisturbed) {
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
TEST(Race, GoesOnWithinARound) {
  Record record{.candidates = {{.seconds = 0.02}, {.predicted = 0.004}}};
  std::vector<int> runs;
  for (int run = 0; run < 4; ++run) {
    Race race = Race::resumed(record, 0.05, 1.5);
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
  EXPECT_EQ(runs, (std::vector<int>{0, 1, 1, 0}));
  EXPECT_EQ(record.num_rounds, 2);
  EXPECT_EQ(record.candidates[1].against_native.num_wins(), 2);
}

TEST(Race, TriesNothingInALaterRunThatTheAllowanceDoesNotCover) {
  Record const record{.candidates = {{.seconds = 0.4}, {.predicted = 0.004}}};
  Race unsure = Race::resumed(record, 0.05, 0);
  ASSERT_EQ(unsure.next().candidate, Race::native);
  unsure.conclude({.allowance = 0.05}, {.trial = 0.4, .exchange = 1e-5});
  unsure.finish({.trial = 0.4, .exchange = 1e-5, .allowance = 0.05});
  for (int call = 0; call < 20; ++call) {
    EXPECT_EQ(unsure.next().candidate, Race::native) << call;
  }
  // The model is known to be wrong by a factor of 10: even twice as long is less than 0.4 s.
  Race sure = Race::resumed(record, 0.05, 10);
  ASSERT_EQ(sure.next().candidate, Race::native);
  sure.conclude({.allowance = 0.05}, {.trial = 0.4, .exchange = 1e-5});
  sure.finish({.trial = 0.4, .exchange = 1e-5, .allowance = 0.05});
  EXPECT_EQ(sure.next().candidate, 1);
}

TEST(Race, BeginsLateWhereThatIsAsked) {
  Race race;
  race.begin_with_call(24);
  for (int call = 1; call < 24; ++call) {
    EXPECT_FALSE(race.next().is_trial) << call;
  }
  EXPECT_TRUE(race.next().is_trial);
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
    return Race::resumed(record, 0.05, 1);
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
        Race::Words const words = race.words(any() * 20);
        agreed.trial = std::min(agreed.trial, words.trial);
        agreed.exchange = std::min(agreed.exchange, words.exchange);
        agreed.allowance = std::min(agreed.allowance, words.allowance);
      }
      bool const is_refused = turn.candidate != 0 && random() % 50 == 0;
      std::vector<double> const predicted{1, 2, 3};
      for (Race& race : races) {
        race.conclude(agreed, {.trial = any(), .exchange = any(), .was_refused = is_refused});
        ASSERT_EQ(race.wants_words(), races.front().wants_words());
        if (race.wants_candidates()) {
          race.enter(predicted);
        }
      }
      if (races.front().wants_words()) {
        agreed = {.allowance = 0.02};
        for (Race const& race : races) {
          Race::Words const words = race.words(any() * 20);
          agreed.trial = std::min(agreed.trial, words.trial);
          agreed.exchange = std::min(agreed.exchange, words.exchange);
          agreed.allowance = std::min(agreed.allowance, words.allowance);
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
