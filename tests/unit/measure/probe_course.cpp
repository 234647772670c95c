// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/measure/probe/course.hpp"

namespace espalier::measure::probe {
namespace {

/// Plays the ranks of a set: repetitions take `seconds_per_repetition`, times come from a function
/// of pair and repetition.
template <typename TimeOf>
Course play(Limits const& limits, std::size_t num_pairs, double seconds, TimeOf const& time_of) {
  Course course(limits, num_pairs);
  double used = 0.0;
  std::size_t repetition = 0;
  while (true) {
    Batch const batch = course.next(used);
    if (batch.repetitions == 0) {
      return course;
    }
    std::vector<std::vector<double>> times(num_pairs);
    for (int i = 0; i < batch.repetitions; ++i, ++repetition) {
      for (std::size_t pair = 0; pair < num_pairs; ++pair) {
        times[pair].push_back(time_of(pair, repetition));
      }
    }
    course.add(times);
    used += seconds * (batch.repetitions + batch.untimed);
  }
}

double constant(std::size_t /*pair*/, std::size_t /*repetition*/) {
  return 4.0;
}

/// Mean 4, standard deviation 2.
double noisy(std::size_t /*pair*/, std::size_t repetition) {
  return repetition % 2 == 0 ? 2.0 : 6.0;
}

Limits const usual{.seconds = 1.0, .min_repetitions = 20, .max_repetitions = 1000};

TEST(ProbeCourse, EndsAfterTheFewestRepetitionsWhenNothingVaries) {
  Course const course = play(usual, 3, 1e-6, constant);
  EXPECT_EQ(course.num_repetitions(), 20U);
  EXPECT_TRUE(course.has_converged());
  EXPECT_EQ(course.num_pairs(), 3U);
}

TEST(ProbeCourse, GoesOnUntilTheMeanIsKnown) {
  // Half width 1.96 x 2 / sqrt(n) <= 0.05 x 4 from n = 385 on.
  Course const course = play(usual, 1, 1e-6, noisy);
  EXPECT_TRUE(course.has_converged());
  EXPECT_GE(course.num_repetitions(), 385U);
  EXPECT_LE(course.num_repetitions(), 385U * 3 / 2 + 1) << "batches grow by a half";
}

TEST(ProbeCourse, OnePairThatVariesKeepsAllGoing) {
  auto const second_varies = [](std::size_t pair, std::size_t repetition) {
    return pair == 1 ? noisy(pair, repetition) : constant(pair, repetition);
  };
  EXPECT_GE(play(usual, 2, 1e-6, second_varies).num_repetitions(), 385U);
}

TEST(ProbeCourse, SpreadIsAnotherWayToEnd) {
  Limits limits = usual;
  limits.spread = 0.6;
  Course const course = play(limits, 1, 1e-6, noisy);
  EXPECT_EQ(course.num_repetitions(), 20U);
  EXPECT_TRUE(course.has_converged());
  limits.spread = 0.4;
  EXPECT_GE(play(limits, 1, 1e-6, noisy).num_repetitions(), 385U);
}

TEST(ProbeCourse, MostRepetitionsEndItUnconverged) {
  Limits limits = usual;
  limits.max_repetitions = 100;
  Course const course = play(limits, 1, 1e-6, noisy);
  EXPECT_EQ(course.num_repetitions(), 100U);
  EXPECT_FALSE(course.has_converged());
}

TEST(ProbeCourse, TimeEndsItUnconverged) {
  Course const course = play(usual, 1, 0.01, noisy);
  EXPECT_FALSE(course.has_converged());
  EXPECT_GT(course.num_repetitions(), 60U);
  EXPECT_LE(course.num_repetitions(), 100U);
}

TEST(ProbeCourse, TakesTwoSamplesHoweverLongTheyLast) {
  Course const course = play(usual, 1, 10.0, constant);
  EXPECT_EQ(course.num_repetitions(), 2U);
  EXPECT_FALSE(course.has_converged()) << "fewer than min_repetitions";
}

TEST(ProbeCourse, WarmUpDoesNotCount) {
  auto const slow_at_first = [](std::size_t /*pair*/, std::size_t repetition) {
    return repetition < 3 ? 1000.0 : 4.0;
  };
  Course const course = play(usual, 1, 1e-6, slow_at_first);
  EXPECT_EQ(course.num_repetitions(), 20U);
  for (double const time : course.times_us(0)) {
    EXPECT_EQ(time, 4.0);
  }
}

TEST(ProbeCourse, SlowMessagesAreWarmedUpOnce) {
  Course course(usual, 1);
  Batch const first = course.next(0.0);
  EXPECT_EQ(first.repetitions, 1);
  course.add({{3e5}});
  EXPECT_EQ(course.next(0.3).repetitions, 2) << "counts, or a third warm-up would be 1";
}

TEST(ProbeCourse, SamplesHaveAsManyCallsAsTheFastestPairNeeds) {
  Limits limits = usual;
  limits.shortest_sample_us = 10.0;
  auto const second_is_faster = [](std::size_t pair, std::size_t /*repetition*/) {
    return pair == 1 ? 3.0 : 9.0;
  };
  EXPECT_EQ(play(limits, 2, 1e-6, second_is_faster).calls_per_sample(), 4);
  EXPECT_EQ(play(usual, 2, 1e-6, second_is_faster).calls_per_sample(), 1);
  auto const zero = [](std::size_t /*pair*/, std::size_t /*repetition*/) { return 0.0; };
  Course const none = play(limits, 1, 1e-6, zero);
  EXPECT_EQ(none.calls_per_sample(), 1000) << "never without end";
  EXPECT_TRUE(none.has_converged());
}

TEST(ProbeCourse, AShortRepetitionIsWashedIn) {
  Course short_ones(usual, 1);
  Course long_ones(usual, 1);
  double const durations[] = {1e-5, 2e-3};
  Course* const courses[] = {&short_ones, &long_ones};
  int untimed[] = {-1, -1};
  for (int i = 0; i < 2; ++i) {
    for (int warmup = 0; warmup < 3; ++warmup) {
      EXPECT_EQ(courses[i]->next(warmup * durations[i]).untimed, 0);
      courses[i]->add({{4.0}});
    }
    untimed[i] = courses[i]->next(3 * durations[i]).untimed;
  }
  EXPECT_EQ(untimed[0], 1);
  EXPECT_EQ(untimed[1], 0);
}

TEST(ProbeCourse, SlowestIsTakenRepetitionByRepetition) {
  auto const take_turns = [](std::size_t pair, std::size_t repetition) {
    return repetition % 2 == pair ? 5.0 : 3.0;
  };
  Limits limits = usual;
  limits.max_repetitions = 20;
  std::vector<double> const slowest = play(limits, 2, 1e-6, take_turns).slowest_us();
  EXPECT_EQ(slowest, std::vector<double>(20, 5.0));
}

}  // namespace
}  // namespace espalier::measure::probe
