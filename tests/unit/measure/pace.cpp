// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/pace.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace espalier::measure {
namespace {

MeasurementPlan plan_of(std::vector<double> const& weights) {
  MeasurementPlan plan;
  plan.seconds_per_point = 10.0;
  for (double const weight : weights) {
    plan.points.push_back({.weight = weight});
  }
  return plan;
}

TEST(Pace, SharesWhatIsLeftAmongThePointsThatAreLeft) {
  MeasurementPlan const plan = plan_of({1.0, 1.0, 1.0, 1.0});
  EXPECT_DOUBLE_EQ(pace_of(plan, 0, 8.0).seconds, 2.0);
  EXPECT_DOUBLE_EQ(pace_of(plan, 2, 8.0).seconds, 4.0);
  EXPECT_DOUBLE_EQ(pace_of(plan, 3, 8.0).seconds, 8.0);
}

TEST(Pace, GivesAHeavierPointMore) {
  MeasurementPlan const plan = plan_of({1.0, 3.0});
  EXPECT_DOUBLE_EQ(pace_of(plan, 0, 8.0).seconds, 2.0);
  EXPECT_DOUBLE_EQ(pace_of(plan, 1, 6.0).seconds, 6.0);
}

TEST(Pace, LimitsAPointByItsWeight) {
  MeasurementPlan const plan = plan_of({1.0, 3.0});
  EXPECT_DOUBLE_EQ(pace_of(plan, 0, 1000.0).seconds, 10.0);
  EXPECT_DOUBLE_EQ(pace_of(plan, 1, 1000.0).seconds, 30.0);
}

TEST(CallsOfSample, AreAsManyAsTakeLongEnough) {
  EXPECT_EQ(calls_of_sample({}, 6.0, 20.0), 4);
  EXPECT_EQ(calls_of_sample({}, 50.0, 20.0), 1);
  EXPECT_EQ(calls_of_sample({}, 0.001, 20.0), 64) << "no more than are allowed";
}

TEST(CallsOfSample, AreWholeRoundsIfTheseAreShort) {
  EXPECT_EQ(calls_of_sample({.calls_of_round = 8}, 6.0, 20.0), 8);
  EXPECT_EQ(calls_of_sample({.calls_of_round = 8}, 25.0, 20.0), 8);
  EXPECT_EQ(calls_of_sample({.calls_of_round = 8}, 26.0, 20.0), 1) << "one round takes too long";
  EXPECT_EQ(calls_of_sample({.most_calls = 1, .calls_of_round = 8}, 6.0, 20.0), 1);
}

TEST(RootsOfRound, AreHalfInTurnAndHalfTheSame) {
  EXPECT_EQ(roots_of_round({0, 2, 5}), (std::vector{0, 2, 5, 0, 0, 0}));
  EXPECT_EQ(roots_of_round({3}), std::vector{3}) << "one root has no turns";
}

}  // namespace
}  // namespace espalier::measure
