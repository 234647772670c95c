// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/turns.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace espalier::learn {
namespace {

/// A loop of calls whose candidates take these times, but for noise.
class Loop {
public:
  explicit Loop(std::vector<double> seconds, double noise = 0, double exchange = 0)
      : seconds_(std::move(seconds)), noise_(noise), exchange_(exchange),
        turns_(static_cast<int>(seconds_.size())) {}

  /// Until the winner is known, or so many calls were made.
  void run(int num_calls) {
    for (int i = 0; i < num_calls && !turns_.is_over(); ++i) {
      call();
    }
  }

  [[nodiscard]] Turns const& turns() const { return turns_; }

  [[nodiscard]] double spent() const { return spent_; }

  /// What the calls took longer than those of the incumbent.
  [[nodiscard]] double lost() const { return lost_; }

  /// The largest part of the time so far that was lost at the end of a trial.
  [[nodiscard]] double largest_share() const { return largest_share_; }

  [[nodiscard]] std::vector<int> const& candidates() const { return candidates_; }

private:
  void call() {
    if (must_conclude_) {
      spent_ += exchange_;
      turns_.conclude(
          {.trial = trial_ / Turns::calls_of_trial, .exchange = exchange_, .total = spent_}
      );
      lost_ += exchange_;
      trial_ = 0;
      must_conclude_ = false;
    }
    Turns::Turn const turn = turns_.next();
    double const base = seconds_[0];
    double const seconds = seconds_[static_cast<std::size_t>(turn.candidate)] * (1 + noise());
    candidates_.push_back(turn.candidate);
    trial_ += turn.is_timed ? seconds : 0;
    must_conclude_ = turn.is_exchanged;
    // Before a trial begins, what earlier ones lost is paid for.
    bool const begins = turn.is_timed && !was_timed_ && turns_.num_calls() > 20;
    largest_share_ = begins ? std::max(largest_share_, lost_ / spent_) : largest_share_;
    was_timed_ = turn.is_timed;
    spent_ += seconds;
    lost_ += std::max(0.0, seconds - base);
  }

  double noise() { return noise_ * std::uniform_real_distribution(0.0, 1.0)(random_); }

  std::vector<double> seconds_;
  double noise_;
  double exchange_;
  Turns turns_;
  std::mt19937 random_{7};
  std::vector<int> candidates_;
  double trial_ = 0;
  bool must_conclude_ = false;
  bool was_timed_ = false;
  double spent_ = 0;
  double lost_ = 0;
  double largest_share_ = 0;
};

TEST(Turns, AreOverWithOneCandidate) {
  Turns turns(1);
  EXPECT_TRUE(turns.is_over());
  Turns::Turn const turn = turns.next();
  EXPECT_EQ(turn.candidate, 0);
  EXPECT_FALSE(turn.is_timed || turn.is_exchanged);
}

TEST(Turns, BeginWithTrialsOfTheIncumbent) {
  Turns turns(3);
  for (int i = 0; i < Turns::calls_of_trial; ++i) {
    Turns::Turn const turn = turns.next();
    EXPECT_TRUE(turn.is_timed);
    EXPECT_FALSE(turn.is_exchanged);
    EXPECT_EQ(turn.candidate, Tournament::incumbent);
  }
  Turns::Turn const behind = turns.next();
  EXPECT_FALSE(behind.is_timed);
  EXPECT_TRUE(behind.is_exchanged);
  EXPECT_EQ(behind.candidate, Tournament::incumbent);
}

TEST(Turns, FindWhatIsFaster) {
  Loop loop({100e-6, 150e-6, 60e-6, 90e-6}, 0.1);
  loop.run(100'000);
  EXPECT_TRUE(loop.turns().is_over());
  EXPECT_TRUE(loop.turns().is_decided());
  EXPECT_EQ(loop.turns().winner(), 2);
}

TEST(Turns, KeepWhatIsNotClearlySlower) {
  Loop loop({100e-6, 99e-6, 101e-6}, 0.2);
  loop.run(100'000);
  EXPECT_TRUE(loop.turns().is_over());
  EXPECT_EQ(loop.turns().winner(), Tournament::incumbent);
}

TEST(Turns, LoseNoMoreThanTheirShare) {
  Loop loop({100e-6, 350e-6, 200e-6, 380e-6, 95e-6, 300e-6}, 0.05, 30e-6);
  loop.run(200'000);
  EXPECT_TRUE(loop.turns().is_over());
  // Noise is not a loss of the trials, but here it counts as one.
  EXPECT_LT(loop.turns().lost(), Turns::most_share * loop.spent() + 2e-3);
  EXPECT_LT(loop.turns().lost(), Turns::most_seconds);
}

TEST(Turns, PayForTrialsBeforeTheNextOne) {
  Loop loop({100e-6, 300e-6, 250e-6, 200e-6});
  loop.run(100'000);
  EXPECT_TRUE(loop.turns().is_over());
  EXPECT_GT(loop.lost(), 0);
  EXPECT_LE(loop.largest_share(), 1.05 * Turns::most_share);
}

TEST(Turns, GiveUpWhatMayLoseTooMuch) {
  // One trial of a candidate that nobody knows may lose 1.2 s.
  Loop loop({0.1, 0.01});
  loop.run(1000);
  EXPECT_TRUE(loop.turns().is_over());
  EXPECT_FALSE(loop.turns().is_decided());
  EXPECT_EQ(loop.turns().winner(), Tournament::incumbent);
  EXPECT_TRUE(std::ranges::all_of(loop.candidates(), [](int one) { return one == 0; }));
}

TEST(Turns, EndAfterOneDisaster) {
  Loop loop({1e-3, 1.0});
  loop.run(100'000);
  EXPECT_TRUE(loop.turns().is_over());
  EXPECT_EQ(loop.turns().winner(), Tournament::incumbent);
  EXPECT_EQ(std::ranges::count(loop.candidates(), 1), Turns::calls_of_trial);
}

TEST(Turns, DecideTheSameByTheSameNumbers) {
  Loop one({100e-6, 150e-6, 60e-6}, 0.3, 5e-6);
  Loop other({100e-6, 150e-6, 60e-6}, 0.3, 5e-6);
  one.run(5000);
  other.run(5000);
  EXPECT_EQ(one.candidates(), other.candidates());
}

}  // namespace
}  // namespace espalier::learn
