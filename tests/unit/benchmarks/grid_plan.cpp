// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/reproduce/process-remapping/program/grid_plan.hpp"

#include <string>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::measure {
namespace {

std::string with_point(std::string const& point) {
  return R"({"schema": "espalier-grid-plan", "version": 1, "points": [)" + point + "]}";
}

std::string complaint_about(std::string const& text) {
  try {
    static_cast<void>(GridPlan::parse(text, "plan.json"));
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::format);
    return error.what();
  }
  return {};
}

TEST(GridPlan, ReadsAllThereIs) {
  GridPlan const plan = GridPlan::parse(
      R"({"schema": "espalier-grid-plan", "version": 1, "seconds": 2.5, "repetitions": [3, 7],
          "points": [{"grid": [6, 8], "collective": "gather", "bytes": 4096,
                      "is_overlapped": true, "ways": ["binomial"], "segment_bytes": 512,
                      "mappings": ["hilbert"], "trial_calls": 2}]})",
      "plan.json"
  );
  EXPECT_EQ(plan.seconds, 2.5);
  EXPECT_EQ(plan.min_repetitions, 3);
  EXPECT_EQ(plan.max_repetitions, 7);
  ASSERT_EQ(plan.points.size(), 1U);
  GridPoint const& point = plan.points.front();
  EXPECT_EQ(point.extents, (std::vector<int>{6, 8}));
  EXPECT_EQ(point.collective, schedule::Collective::gather);
  EXPECT_EQ(point.bytes, 4096);
  EXPECT_TRUE(point.is_overlapped);
  EXPECT_EQ(point.ways, (std::vector<std::string>{"binomial"}));
  EXPECT_EQ(point.segment_bytes, 512);
  EXPECT_EQ(point.mappings, (std::vector<std::string>{"hilbert"}));
  EXPECT_EQ(point.trial_calls, 2);
}

TEST(GridPlan, LeavesOutAPipelineWhereThereIsNone) {
  std::string const start = R"({"grid": [2], "bytes": 8, "collective": )";
  EXPECT_EQ(
      GridPlan::parse(with_point(start + R"("bcast"})"), "").points.front().ways,
      (std::vector<std::string>{"native", "pipeline", "binomial"})
  );
  EXPECT_EQ(
      GridPlan::parse(with_point(start + R"("scatter"})"), "").points.front().ways,
      (std::vector<std::string>{"native", "binomial"})
  );
}

TEST(GridPlan, SaysWhatIsWrong) {
  std::string const bcast = R"("collective": "bcast")";
  EXPECT_NE(
      complaint_about(R"({"schema": "other"})").find("espalier-grid-plan"), std::string::npos
  );
  EXPECT_NE(complaint_about(with_point("")).find("at least one point"), std::string::npos);
  EXPECT_NE(
      complaint_about(with_point(R"({"grid": [], "bytes": 1, )" + bcast + "}"))
          .find("at least one dimension"),
      std::string::npos
  );
  EXPECT_NE(
      complaint_about(with_point(R"({"grid": [0], "bytes": 1, )" + bcast + "}")).find("grid"),
      std::string::npos
  );
  EXPECT_NE(
      complaint_about(with_point(R"({"grid": [2], "bytes": 1, "collective": "barrier"})"))
          .find("bcast, gather or scatter"),
      std::string::npos
  );
  EXPECT_NE(
      complaint_about(
          with_point(R"({"grid": [2], "bytes": 1, "collective": "gather", "ways": ["pipeline"]})")
      )
          .find("pipeline"),
      std::string::npos
  );
}

}  // namespace
}  // namespace espalier::measure
