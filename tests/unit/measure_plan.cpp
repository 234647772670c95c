// SPDX-License-Identifier: Apache-2.0

#include <string>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/measure/measurement_plan.hpp"

namespace espalier::measure {
namespace {

std::string plan_with(std::string const& members) {
  return R"({"schema": "espalier-measurement-plan", "version": 1, "seed": 7, )" + members + "}";
}

std::string complaint_about(std::string const& text) {
  try {
    static_cast<void>(MeasurementPlan::parse(text, "plan.json"));
  } catch (Error const& error) {
    EXPECT_TRUE(error.code() == ErrorCode::format || error.code() == ErrorCode::argument);
    return error.what();
  }
  return {};
}

TEST(MeasurementPlan, ReadsWhatTheDesignShows) {
  MeasurementPlan const plan = MeasurementPlan::parse(
      plan_with(
          R"("warmup": 2, "min_repetitions": 20, "max_repetitions": 200, "seconds_per_point": 0.5,
             "points": [{"collective": "allgatherv", "bytes": 4096,
                         "algorithms": ["native", "allgather/ring", "allgather/bruck"]}])"
      ),
      "plan.json"
  );
  EXPECT_EQ(plan.seed, 7U);
  EXPECT_EQ(plan.warmup, 2);
  EXPECT_EQ(plan.min_repetitions, 20);
  EXPECT_EQ(plan.max_repetitions, 200);
  EXPECT_EQ(plan.seconds_per_point, 0.5);
  ASSERT_EQ(plan.points.size(), 1U);
  EXPECT_EQ(plan.points[0].call, tune::Call::allgatherv);
  EXPECT_EQ(plan.points[0].bytes, 4096);
  EXPECT_EQ(plan.points[0].choices, (std::vector<std::string>{"allgather/ring", "allgather/bruck"}))
      << "native is always measured, so it is no choice";
}

TEST(MeasurementPlan, HasUsualLimits) {
  MeasurementPlan const plan = MeasurementPlan::parse(plan_with(R"("points": [])"), "plan.json");
  EXPECT_GT(plan.max_repetitions, plan.min_repetitions);
  EXPECT_GT(plan.seconds, plan.seconds_per_point);
}

TEST(MeasurementPlan, SaysWhereAFileIsWrong) {
  EXPECT_NE(complaint_about("{").find("plan.json"), std::string::npos);
  EXPECT_NE(
      complaint_about(R"({"schema": "espalier-profile", "version": 1})").find("espalier-profile"),
      std::string::npos
  );
  EXPECT_NE(
      complaint_about(R"({"schema": "espalier-measurement-plan", "version": 2})")
          .find("version 1 at most"),
      std::string::npos
  );
}

TEST(MeasurementPlan, RefusesLimitsThatCannotHold) {
  EXPECT_NE(
      complaint_about(plan_with(R"("min_repetitions": 5, "max_repetitions": 4, "points": [])"))
          .find("max_repetitions"),
      std::string::npos
  );
  EXPECT_NE(
      complaint_about(plan_with(R"("seconds": 0, "points": [])")).find("a number above 0"),
      std::string::npos
  );
  EXPECT_NE(
      complaint_about(
          plan_with(R"("points": [{"collective": "ialltoall", "bytes": 8, "algorithms": []}])")
      )
          .find("ialltoall"),
      std::string::npos
  );
  EXPECT_FALSE(complaint_about(
                   plan_with(R"("points": [{"collective": "bcast", "bytes": -1, "algorithms": []}])"
                   )
  )
                   .empty());
}

}  // namespace
}  // namespace espalier::measure
