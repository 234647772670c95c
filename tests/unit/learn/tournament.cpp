// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/tournament.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::learn {
namespace {

/// Candidates that take known times, disturbed or not, on a clock of their own.
class Field {
public:
  explicit Field(std::vector<double> times) : times_(std::move(times)), num_runs_(times_.size()) {}

  /// The time of a run is a known time or longer, by so much on average.
  Field& disturb(double share, unsigned seed) {
    share_ = share;
    generator_.seed(seed);
    return *this;
  }

  /// Candidates below 0 cannot run.
  void play(Tournament& tournament) {
    while (!tournament.is_over()) {
      auto const candidate = static_cast<std::size_t>(tournament.next());
      if (times_[candidate] < 0) {
        tournament.refuse();
        continue;
      }
      double const seconds = times_[candidate] * (1 + share_ * disturbance_(generator_));
      elapsed_ += seconds;
      ++num_runs_[candidate];
      tournament.note(seconds, elapsed_);
    }
  }

  [[nodiscard]] double elapsed() const { return elapsed_; }

  [[nodiscard]] int num_runs(int candidate) const {
    return num_runs_[static_cast<std::size_t>(candidate)];
  }

private:
  std::vector<double> times_;
  std::vector<int> num_runs_;
  double share_ = 0;
  double elapsed_ = 0;
  std::mt19937 generator_{0};
  std::exponential_distribution<double> disturbance_{1};
};

int winner_of(Field field, int num_candidates, double seconds) {
  Tournament tournament(num_candidates, seconds);
  field.play(tournament);
  return tournament.winner();
}

TEST(Tournament, FindsTheFastestOfAnyNumberWhereverItIs) {
  for (int n = 1; n <= 20; ++n) {
    for (int fastest = 0; fastest < n; ++fastest) {
      std::vector<double> times;
      for (int i = 0; i < n; ++i) {
        times.push_back(1e-5 * (1 + (i + n - fastest) % n));
      }
      EXPECT_EQ(winner_of(Field(times), n, 10), fastest) << fastest << " of " << n;
    }
  }
}

TEST(Tournament, FindsItAmongDisturbedTimes) {
  int num_found = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    Field field({1e-5, 3e-5, 2e-5, 0.5e-5, 5e-5, 4e-5, 1.2e-5});
    num_found += winner_of(field.disturb(0.5, seed), 7, 10) == 3 ? 1 : 0;
  }
  EXPECT_GE(num_found, 95);
}

TEST(Tournament, KeepsTheIncumbentForAGainThatIsNotWorthIt) {
  EXPECT_EQ(winner_of(Field({1e-5, 0.98e-5, 2e-5}), 3, 10), Tournament::incumbent);
  EXPECT_EQ(winner_of(Field({1e-5, 0.96e-5, 2e-5}), 3, 10), 1);
}

TEST(Tournament, SeldomReplacesTheIncumbentByOneThatIsAsFast) {
  int num_replaced = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    Field field({1e-5, 1e-5, 1e-5, 1e-5});
    num_replaced += winner_of(field.disturb(0.5, seed), 4, 10) == 0 ? 0 : 1;
  }
  // Ville's inequality allows 1 of 20.
  EXPECT_LE(num_replaced, 20);
}

TEST(Tournament, SpendsRunsOnThoseThatMatter) {
  std::vector<double> times;
  for (int i = 0; i < 32; ++i) {
    times.push_back(1e-5 * (32 - i));
  }
  Field field(times);
  Tournament tournament(32, 10);
  field.play(tournament);
  EXPECT_EQ(tournament.winner(), 31);
  EXPECT_EQ(field.num_runs(1), 2);
  EXPECT_GT(field.num_runs(31), 16);
  // 32 * 2 + 16 * 3 + 8 * 5 + 4 * 9 + 2 * 17, a first pair and five that count.
  EXPECT_EQ(tournament.num_runs(), 222 + 12);
}

TEST(Tournament, EndsWithTheRunDuringWhichTheTimeIsOver) {
  for (double const seconds : {1e-6, 1e-4, 2e-4, 5e-4, 1e-3}) {
    Field field({3e-5, 2e-5, 1e-5, 4e-5});
    Tournament tournament(4, seconds);
    field.play(tournament);
    EXPECT_LT(field.elapsed(), seconds + 4e-5) << seconds;
  }
}

TEST(Tournament, KeepsTheIncumbentIfThereIsNoTime) {
  EXPECT_EQ(winner_of(Field({2e-5, 1e-5}), 2, 1e-9), Tournament::incumbent);
}

TEST(Tournament, ComparesWhatWasTriedIfTimeIsShort) {
  std::vector<double> times(100, 1e-2);
  times[3] = 1e-3;
  // 0.6 of it suffice for about 30 candidates, the rest for the duel.
  EXPECT_EQ(winner_of(Field(times), 100, 1), 3);
}

TEST(Tournament, SaysWhetherItEndedForLackOfTime) {
  for (auto const& [seconds, is_decided] : {std::pair(10.0, true), std::pair(1e-4, false)}) {
    for (double const other : {1e-5, 3e-5}) {
      Tournament tournament(3, seconds);
      Field({2e-5, other, 4e-5}).play(tournament);
      EXPECT_EQ(tournament.is_decided(), is_decided) << seconds << ", " << other;
    }
  }
}

TEST(Tournament, PassesOverThoseThatCannotRun) {
  EXPECT_EQ(winner_of(Field({2e-5, -1, 1e-5, -1}), 4, 10), 2);
  EXPECT_EQ(winner_of(Field({2e-5, -1, -1}), 3, 10), Tournament::incumbent);
  EXPECT_EQ(winner_of(Field({2e-5, -1}), 2, 10), Tournament::incumbent);
}

TEST(Tournament, RefusesWhatHasRunOrIsNeeded) {
  Tournament tournament(2, 1);
  EXPECT_THROW(tournament.refuse(), Error);
  tournament.note(1e-5, 1e-5);
  tournament.note(1e-5, 2e-5);
  EXPECT_EQ(tournament.next(), 1);
  tournament.note(1e-5, 3e-5);
  EXPECT_THROW(tournament.refuse(), Error);
}

TEST(Tournament, NeedsACandidateAndTime) {
  EXPECT_THROW(Tournament(0, 1), Error);
  EXPECT_THROW(Tournament(2, 0), Error);
  EXPECT_THROW(Tournament(2, std::nan("")), Error);
  EXPECT_TRUE(Tournament(1, 1).is_over());
}

TEST(Tournament, KeepsTheSmallestTimeOfRunsThatCount) {
  Tournament tournament(2, 10);
  tournament.note(1e-6, 1e-6);
  EXPECT_EQ(tournament.fastest(0), std::numeric_limits<double>::infinity());
  tournament.note(3e-6, 4e-6);
  EXPECT_EQ(tournament.fastest(0), 3e-6);
}

}  // namespace
}  // namespace espalier::learn
