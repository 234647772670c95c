// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "espalier/base/student.hpp"
#include "espalier/measure/probe/cpu_list.hpp"
#include "espalier/measure/probe/moments.hpp"
#include "espalier/measure/probe/result_line.hpp"

namespace espalier::measure::probe {
namespace {

TEST(ProbeMoments, AreThoseOfTheTextbook) {
  // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squares 32.
  std::array const values{9.0, 4.0, 2.0, 4.0, 5.0, 4.0, 7.0, 5.0};
  Moments const moments = moments_of(values);
  EXPECT_DOUBLE_EQ(moments.mean, 5.0);
  EXPECT_DOUBLE_EQ(moments.sd, std::sqrt(32.0 / 7.0));
  EXPECT_EQ(moments.median, 4.5);
  EXPECT_EQ(moments.min, 2.0);
  EXPECT_EQ(moments.max, 9.0);
  // t(0.975, 7) = 2.364624
  EXPECT_NEAR(moments.half_width, 2.364624 * std::sqrt(32.0 / 7.0 / 8.0), 1e-4);
  EXPECT_EQ(moments_of(std::array{3.0, 1.0, 2.0}).median, 2.0);
}

TEST(ProbeMoments, StudentQuantilesAreThoseOfTheTables) {
  EXPECT_NEAR(student_quantile(1), 12.706205, 1e-6);
  EXPECT_NEAR(student_quantile(2), 4.302653, 1e-6);
  EXPECT_NEAR(student_quantile(3), 3.182446, 3.182446 * 0.0013);
  EXPECT_NEAR(student_quantile(4), 2.776445, 1e-3);
  EXPECT_NEAR(student_quantile(9), 2.262157, 2e-5);
  EXPECT_NEAR(student_quantile(19), 2.093024, 1e-6);
  EXPECT_NEAR(student_quantile(99), 1.984217, 1e-6);
  EXPECT_NEAR(student_quantile(1'000'000), 1.959966, 1e-6);
}

TEST(ProbeCpuList, IsAsLinuxWritesIt) {
  EXPECT_EQ(cpu_list({}), "");
  EXPECT_EQ(cpu_list(std::array{5}), "5");
  EXPECT_EQ(cpu_list(std::array{0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
}

TEST(ProbeResult, LineSaysWhatTheFormatAsksFor) {
  TestRequest const test{
      .kind = TestKind::bandwidth,
      .label = "net",
      .bytes = {8, 1024},
      .messages = 16,
      .sets =
          {{{.sender = 5, .receiver = 6}},
           {{.sender = 0, .receiver = 1}, {.sender = 3, .receiver = 2}}},
  };
  ProbePlan const plan{.tests = {test}};
  Course course({.seconds = 1e-9, .min_repetitions = 2, .max_repetitions = 2}, 2);
  static_cast<void>(course.next(0.0));
  course.add({{1.0}, {1.0}});
  ASSERT_EQ(course.next(1.0).repetitions, 2);
  course.add({{1.0, 5.0}, {4.0, 4.0}});
  ASSERT_EQ(course.next(2.0).repetitions, 0);

  auto const line = nlohmann::json::parse(
      result_line(plan, {.test_index = 0, .set_index = 1, .bytes_index = 1}, course)
  );
  // t(0.975, 1) sd / sqrt(2) with sd = 4 / sqrt(2): the interval reaches below 0.
  double const half = 12.706204736432095 * 2.0;
  nlohmann::json const expected{
      {"kind", "result"},
      {"test_index", 0},
      {"set_index", 1},
      {"test", "bandwidth"},
      {"label", "net"},
      {"pairs", {{0, 1}, {3, 2}}},
      {"bytes", 1024},
      {"messages", 16},
      {"calls_per_sample", 1},
      {"repetitions", 2},
      {"converged", false},
      {"mean_us", {3.0, 4.0}},
      {"sd_us", {2.828427, 0.0}},
      {"median_us", {3.0, 4.0}},
      {"min_us", {1.0, 4.0}},
      {"max_us", {5.0, 4.0}},
      {"low_us", {0.0, 4.0}},
      {"high_us", {std::round((3.0 + half) * 1e6) / 1e6, 4.0}},
      {"slowest", {{"mean_us", 4.5}, {"sd_us", 0.707107}, {"median_us", 4.5}}},
  };
  EXPECT_EQ(line, expected) << line.dump(1);
}

TEST(ProbeResult, EndSaysWhetherSomethingIsMissing) {
  EXPECT_EQ(end_line(0), R"({"kind":"end","complete":true,"sets_left":0})");
  EXPECT_EQ(end_line(3), R"({"kind":"end","complete":false,"sets_left":3})");
}

}  // namespace
}  // namespace espalier::measure::probe
