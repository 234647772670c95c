// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/measure/collectives/measurement_plan.hpp"

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
  EXPECT_EQ(plan.points[0].call, profile::Call::allgatherv);
  EXPECT_EQ(plan.points[0].bytes, 4096);
  EXPECT_EQ(plan.points[0].choices, (std::vector<std::string>{"allgather/ring", "allgather/bruck"}))
      << "native is measured besides, so it is no choice";
}

TEST(MeasurementPlan, NamesProfiles) {
  MeasurementPlan const plan = MeasurementPlan::parse(
      plan_with(
          R"("profiles": {"tuned": "/tmp/tuned.json"},
             "points": [{"collective": "bcast", "bytes": 8, "algorithms": ["profile/tuned"]}])"
      ),
      "plan.json"
  );
  EXPECT_EQ(plan.profiles.at("tuned"), "/tmp/tuned.json");
  EXPECT_EQ(plan.points[0].choices, (std::vector<std::string>{"profile/tuned"}));
  std::string const complaint = complaint_about(plan_with(
      R"("profiles": {"tuned": "/tmp/tuned.json"},
         "points": [{"collective": "bcast", "bytes": 8, "algorithms": ["profile/other"]}])"
  ));
  EXPECT_NE(complaint.find("points[0]: algorithms[0]"), std::string::npos) << complaint;
  EXPECT_NE(complaint.find("profile/other"), std::string::npos) << complaint;
}

TEST(MeasurementPlan, MayLeaveNativeOut) {
  MeasurementPlan const plan = MeasurementPlan::parse(
      plan_with(
          R"("points": [{"collective": "bcast", "bytes": 8, "algorithms": ["bcast/flat"]},
                        {"collective": "bcast", "bytes": 8, "native": false, "algorithms": ["bcast/flat"]}])"
      ),
      "plan.json"
  );
  EXPECT_TRUE(plan.points[0].has_native);
  EXPECT_FALSE(plan.points[1].has_native);
  std::string const complaint = complaint_about(plan_with(
      R"("points": [{"collective": "bcast", "bytes": 8, "native": false, "algorithms": ["native"]}])"
  ));
  EXPECT_NE(complaint.find("points[0]: algorithms: expected an algorithm"), std::string::npos)
      << complaint;
}

TEST(MeasurementPlan, ReadsWeights) {
  MeasurementPlan const plan = MeasurementPlan::parse(
      plan_with(
          R"("points": [{"collective": "bcast", "bytes": 8, "algorithms": ["bcast/flat"]},
                        {"collective": "bcast", "bytes": 9, "weight": 2.5, "algorithms": []}])"
      ),
      "plan.json"
  );
  EXPECT_DOUBLE_EQ(plan.points[0].weight, 1.0);
  EXPECT_DOUBLE_EQ(plan.points[1].weight, 2.5);
  std::string const complaint = complaint_about(
      plan_with(R"("points": [{"collective": "bcast", "bytes": 8, "weight": 0, "algorithms": []}])")
  );
  EXPECT_NE(complaint.find("points[0]: weight"), std::string::npos) << complaint;
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
          plan_with(R"("points": [{"collective": "jalltoall", "bytes": 8, "algorithms": []}])")
      )
          .find("jalltoall"),
      std::string::npos
  );
  EXPECT_FALSE(complaint_about(
                   plan_with(R"("points": [{"collective": "bcast", "bytes": -1, "algorithms": []}])"
                   )
  )
                   .empty());
}

TEST(MeasurementPlan, ReadsPartsAndSpread) {
  MeasurementPlan const plan = MeasurementPlan::parse(
      plan_with(
          R"("spread": true,
             "points": [{"collective": "allgatherv", "bytes": 7, "algorithms": [],
                         "part_bytes": [4, 0, 3]},
                        {"collective": "allgatherv", "bytes": 7, "algorithms": []}])"
      ),
      "plan.json"
  );
  EXPECT_TRUE(plan.spread);
  EXPECT_EQ(plan.points[0].part_bytes, (std::vector<int>{4, 0, 3}));
  EXPECT_TRUE(plan.points[1].part_bytes.empty());
  EXPECT_FALSE(MeasurementPlan::parse(plan_with(R"("points": [])"), "plan.json").spread);
}

/// What is wrong with a point of a call that has these members besides.
std::string complaint_about_point(std::string const& call, std::string const& members) {
  return complaint_about(plan_with(
      R"("points": [{"collective": ")" + call + R"(", "bytes": 8, "algorithms": [], )" + members +
      "}]"
  ));
}

TEST(MeasurementPlan, RefusesPartsThatAreNotTheWhole) {
  auto const complaint = [](std::string const& call, std::string const& parts) {
    return complaint_about_point(call, R"("part_bytes": )" + parts);
  };
  EXPECT_NE(complaint("gatherv", "[4, 2]").find("expected 8 bytes together"), std::string::npos);
  EXPECT_NE(complaint("allgather", "[4, 4]").find("scatterv with part_bytes"), std::string::npos);
  EXPECT_NE(complaint("alltoallv", "[4, 4]").find("scatterv with part_bytes"), std::string::npos);
  EXPECT_NE(
      complaint("reduce_scatter", "[4, 4]").find("part_bytes[0]: expected a multiple of 8"),
      std::string::npos
  );
  EXPECT_FALSE(complaint("allgatherv", "[9, -1]").empty());
  EXPECT_TRUE(complaint("scatterv", "[5, 3]").empty());
  EXPECT_TRUE(complaint("reduce_scatter", "[0, 8]").empty());
}

TEST(MeasurementPlan, ReadsHowCallsAreMade) {
  MeasurementPlan const plan = MeasurementPlan::parse(
      plan_with(
          R"("points": [{"collective": "reduce", "bytes": 8, "algorithms": [], "root": 3,
                         "operator": "user_ordered", "in_place": true},
                        {"collective": "alltoallv", "bytes": 8, "algorithms": [],
                         "pair_bytes": [[1, 2], [12, 0]]},
                        {"collective": "reduce", "bytes": 8, "algorithms": []}])"
      ),
      "plan.json"
  );
  EXPECT_EQ(plan.points[0].root, 3);
  EXPECT_EQ(plan.points[0].op, plan::Operator::user_ordered);
  EXPECT_TRUE(plan.points[0].is_in_place);
  EXPECT_EQ(plan.points[1].pair_bytes, (std::vector<std::vector<int>>{{1, 2}, {12, 0}}));
  EXPECT_FALSE(plan.points[2].root.has_value());
  EXPECT_EQ(plan.points[2].op, plan::Operator::sum);
  EXPECT_FALSE(plan.points[2].is_in_place);
}

std::string point_with(std::string const& members) {
  return plan_with(R"("points": [{"bytes": 64, "algorithms": [], )" + members + "}]");
}

TEST(MeasurementPlan, ReadsWorkOfNonblockingCalls) {
  auto const read = [](std::string const& members) {
    return MeasurementPlan::parse(point_with(members), "plan.json").points.front();
  };
  PointRequest const computing =
      read(R"("collective": "iallgather", "work": {"seconds": 0.03, "tests": 10})");
  EXPECT_EQ(computing.call, profile::Call::allgather);
  EXPECT_EQ(computing.form, profile::Form::nonblocking);
  EXPECT_EQ(computing.work.seconds, 0.03);
  EXPECT_EQ(computing.work.num_tests, 10);
  EXPECT_EQ(computing.work.library, "");
  PointRequest const calling =
      read(R"("collective": "ibcast", "work": {"library": "/tmp/w.so", "function": "work"})");
  EXPECT_EQ(calling.work.library, "/tmp/w.so");
  EXPECT_EQ(calling.work.function, "work");
  EXPECT_EQ(calling.work.num_tests, 0);
  EXPECT_EQ(read(R"("collective": "ibarrier")").form, profile::Form::nonblocking);
}

TEST(MeasurementPlan, RefusesWorkThatNobodyCanDo) {
  for (std::string const members : {
           R"("collective": "allgather", "work": {"seconds": 0.03})",
           R"("collective": "iallgather", "work": {"tests": 3})",
           R"("collective": "iallgather", "work": {"seconds": -1})",
           R"("collective": "iallgather", "work": {"seconds": 1, "tests": -1})",
           R"("collective": "iallgather", "work": {"library": "/tmp/w.so"})",
           R"("collective": "allgather_init")",
       }) {
    EXPECT_NE(complaint_about(point_with(members)), "") << members;
  }
}

TEST(MeasurementPlan, RefusesMannersThatACallCannotHave) {
  struct Case {
    std::string call;
    std::string members;
    std::string complaint;
  };

  std::vector<Case> const cases{
      {"allreduce", R"("root": 0)", "expected a call with a root"},
      {"bcast", R"("root": -1)", "root"},
      {"bcast", R"("root": 1.5)", "root"},
      {"bcast", R"("operator": "sum")", "expected a reduction with an operator"},
      {"reduce", R"("operator": "plus")", "expected one of sum, prod, max"},
      {"reduce", R"("operator": "")", "expected one of sum, prod, max"},
      {"reduce", R"("operator": 1)", "operator"},
      {"bcast", R"("in_place": true)", "expected a call that can be in place"},
      {"barrier", R"("in_place": true)", "expected a call that can be in place"},
      {"gather", R"("in_place": 1)", "in_place"},
      {"alltoall", R"("pair_bytes": [[8]])", "alltoallv or alltoallw with pair_bytes"},
      {"allgatherv", R"("pair_bytes": [[8]])", "alltoallv or alltoallw with pair_bytes"},
      {"alltoallv", R"("pair_bytes": [[8, 0], [8]])", "pair_bytes[1]: expected 2 numbers"},
      {"alltoallv", R"("pair_bytes": [[8], [8]])", "pair_bytes[0]: expected 2 numbers"},
      {"alltoallv", R"("pair_bytes": [[9, 0], [0, 9]])", "expected 8 bytes from a rank"},
      {"alltoallw", R"("pair_bytes": [[9, -1], [0, 8]])", "pair_bytes[0][1]"},
      {"alltoallv", R"("pair_bytes": [])", "expected 8 bytes from a rank"},
      {"alltoallv", R"("pair_bytes": [[2147483647, 9], [0, 0]])", "less than 2 GiB together"},
      {"alltoallv", R"("pair_bytes": [[2147483647, 0], [9, 0]])", "less than 2 GiB for each"},
      {"alltoallv", R"("in_place": true, "pair_bytes": [[0, 8], [7, 1]])", "in place"},
  };
  for (auto const& [call, members, complaint] : cases) {
    std::string const found = complaint_about_point(call, members);
    EXPECT_NE(found.find(complaint), std::string::npos) << call << " " << members << ": " << found;
  }
  EXPECT_TRUE(complaint_about_point("alltoallv", R"("pair_bytes": [[0, 9], [7, 0]])").empty());
}

}  // namespace
}  // namespace espalier::measure
