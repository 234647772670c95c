// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/evidence.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace espalier::learn {
namespace {

Evidence evidence_of(int num_wins, int num_losses) {
  Evidence evidence;
  for (int i = 0; i < num_wins; ++i) {
    evidence.add(1, 2);
  }
  for (int i = 0; i < num_losses; ++i) {
    evidence.add(2, 1);
  }
  return evidence;
}

/// The integral that half of the stake is, by small steps.
double integral(int num_wins, int num_losses) {
  constexpr int num_steps = 200000;
  double sum = 0;
  for (int i = 0; i < num_steps; ++i) {
    double const x = 0.5 + 0.5 * (i + 0.5) / num_steps;
    double product = 2;
    for (int k = 0; k < num_wins; ++k) {
      product *= 2 * x;
    }
    for (int k = 0; k < num_losses; ++k) {
      product *= 2 * (1 - x);
    }
    sum += product;
  }
  return sum * 0.5 / num_steps;
}

TEST(Evidence, IsHalfOnWinsOnlyAndHalfOnAnyShareOfWins) {
  EXPECT_DOUBLE_EQ(Evidence().of_faster(), 1);
  for (int wins = 0; wins <= 12; ++wins) {
    for (int losses = 0; losses <= 12; ++losses) {
      double const on_wins_only = losses == 0 ? std::ldexp(1.0, wins) : 0.0;
      double const expected = (on_wins_only + integral(wins, losses)) / 2;
      EXPECT_NEAR(evidence_of(wins, losses).of_faster(), expected, 1e-6 * expected)
          << wins << " wins, " << losses << " losses";
    }
  }
}

TEST(Evidence, OfSlowerIsThatOfTheOtherOne) {
  EXPECT_EQ(evidence_of(3, 8).of_slower(), evidence_of(8, 3).of_faster());
}

TEST(Evidence, EqualTimesSayNothing) {
  Evidence evidence = evidence_of(4, 1);
  evidence.add(3, 3);
  EXPECT_EQ(evidence, evidence_of(4, 1));
}

TEST(Evidence, OfClearWinsGrowsEightfoldUntilOneIsNotClear) {
  Evidence evidence;
  EXPECT_EQ(evidence.of_clearly_faster(), 1);
  evidence.add(1, 2, 2);
  evidence.add(1, 5, 2);
  EXPECT_EQ(evidence.of_clearly_faster(), 64);
  EXPECT_EQ(evidence.num_clear_wins(), 2);
  evidence.add(1, 1.9, 1.5);
  EXPECT_EQ(evidence.num_clear_wins(), 3);
  evidence.add(1, 1.9, 2);
  EXPECT_EQ(evidence.of_clearly_faster(), 0);
  EXPECT_EQ(evidence.num_wins(), 4);
  EXPECT_EQ(evidence_of(3, 0).num_clear_wins(), 0) << "times that are not steady";
}

TEST(Evidence, StaysFiniteAndStopsCounting) {
  Evidence const evidence = evidence_of(1000, 0);
  EXPECT_EQ(evidence.num_pairs(), Evidence::most_pairs);
  EXPECT_GT(evidence.of_faster(), 1e15);
  EXPECT_LT(evidence.of_slower(), 1);
}

/// Ville: of many who toss a coin and look after each toss, few ever see a large stake.
TEST(Evidence, IsRarelyLargeForATossUp) {
  std::mt19937 coin(1);
  int constexpr num_players = 20000;
  int num_deceived = 0;
  for (int i = 0; i < num_players; ++i) {
    Evidence evidence;
    bool is_deceived = false;
    while (evidence.num_pairs() < Evidence::most_pairs) {
      evidence.add((coin() & 1U) == 0 ? 1 : 3, 2);
      is_deceived = is_deceived || evidence.of_faster() >= 20;
    }
    num_deceived += is_deceived ? 1 : 0;
  }
  EXPECT_LE(num_deceived, num_players / 20);
  EXPECT_GT(num_deceived, num_players / 200);
}

}  // namespace
}  // namespace espalier::learn
