// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/probe/probe_plan.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::measure::probe {
namespace {

std::string plan_with(std::string const& members) {
  return R"({"schema": "espalier-probe-plan", "version": 1, "seed": 7, )" + members + "}";
}

std::string plan_of_test(std::string const& members) {
  return plan_with(R"("tests": [{)" + members + "}]");
}

std::string plan_of_sets(std::string const& sets) {
  return plan_of_test(R"("test": "latency", "bytes": [8], "sets": )" + sets);
}

/// What the plan is refused with in a job of four ranks; empty if it is accepted.
std::string complaint_about(std::string const& text, int num_ranks = 4) {
  try {
    ProbePlan::parse(text, "plan.json").check_ranks(num_ranks, "plan.json");
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::format);
    return error.what();
  }
  return {};
}

void expect_complaint(std::string const& text, std::string const& part, int num_ranks = 4) {
  std::string const complaint = complaint_about(text, num_ranks);
  EXPECT_NE(complaint.find(part), std::string::npos) << complaint;
}

TEST(ProbePlan, ReadsAllMembers) {
  ProbePlan const plan = ProbePlan::parse(
      plan_with(
          R"("seconds": 9, "seconds_per_set": 0.25, "min_repetitions": 5, "max_repetitions": 50,
             "precision": 0.02, "spread": 0.1,
             "tests": [{"test": "bandwidth", "label": "net", "bytes": [8, 1024], "messages": 16,
                        "sets": [[[0, 1], [3, 2]], [[0, 1]]]}])"
      ),
      "plan.json"
  );
  EXPECT_EQ(plan.seed, 7U);
  EXPECT_EQ(plan.seconds, 9.0);
  EXPECT_EQ(plan.seconds_per_set, 0.25);
  EXPECT_EQ(plan.min_repetitions, 5);
  EXPECT_EQ(plan.max_repetitions, 50);
  EXPECT_EQ(plan.precision, 0.02);
  EXPECT_EQ(plan.spread, 0.1);
  ASSERT_EQ(plan.tests.size(), 1U);
  TestRequest const& test = plan.tests[0];
  EXPECT_EQ(test.kind, TestKind::bandwidth);
  EXPECT_EQ(test.label, "net");
  EXPECT_EQ(test.bytes, (std::vector<std::int64_t>{8, 1024}));
  EXPECT_EQ(test.messages, 16);
  ASSERT_EQ(test.sets.size(), 2U);
  EXPECT_EQ(members_of(test.sets[0]), (std::vector<int>{0, 1, 3, 2}));
}

TEST(ProbePlan, HasUsualLimits) {
  ProbePlan const plan = ProbePlan::parse(plan_with(R"("spread": null, "tests": [])"), "plan.json");
  EXPECT_GE(plan.min_repetitions, 2);
  EXPECT_GT(plan.max_repetitions, plan.min_repetitions);
  EXPECT_GT(plan.seconds, plan.seconds_per_set);
  EXPECT_EQ(plan.spread, std::nullopt);
  EXPECT_TRUE(plan.steps().empty());
}

TEST(ProbePlan, MeasuresTheSizesOfASetOneAfterAnother) {
  ProbePlan const plan = ProbePlan::parse(
      plan_of_test(R"("test": "latency", "bytes": [8, 9], "sets": [[[0, 1]], [[2, 3]]])"),
      "plan.json"
  );
  std::vector<Step> const steps = plan.steps();
  ASSERT_EQ(steps.size(), 4U);
  EXPECT_EQ(plan.bytes_of(steps[1]), 9);
  EXPECT_EQ(plan.pairs_of(steps[1]).front().sender, 0);
  EXPECT_EQ(plan.bytes_of(steps[2]), 8);
  EXPECT_EQ(plan.pairs_of(steps[2]).front().sender, 2);
}

TEST(ProbePlan, TestsHaveTheirNames) {
  for (char const* const name :
       {"latency", "bandwidth", "bidirectional", "send_overhead", "receive_overhead", "message_rate"
       }) {
    std::string const text = R"("test": ")" + std::string(name) + R"(", "bytes": [8], "sets": [])";
    ProbePlan const plan = ProbePlan::parse(plan_of_test(text), "plan.json");
    EXPECT_EQ(to_string(plan.tests.front().kind), name);
  }
  expect_complaint(
      plan_of_test(R"("test": "throughput", "bytes": [8], "sets": [])"),
      "plan.json: tests[0]: test: expected one of latency, bandwidth"
  );
}

TEST(ProbePlan, SaysWhereAFileIsWrong) {
  expect_complaint("{", "plan.json");
  expect_complaint(R"({"schema": "espalier-profile", "version": 1})", "espalier-profile");
  expect_complaint(R"({"schema": "espalier-probe-plan", "version": 2})", "version 1 at most");
  expect_complaint(plan_with(R"("seconds": 0, "tests": [])"), "seconds: expected a number above 0");
  expect_complaint(plan_with(R"("spread": -1, "tests": [])"), "spread: expected a number above 0");
  expect_complaint(plan_with(R"("min_repetitions": 1, "tests": [])"), "at least 2");
  expect_complaint(
      plan_with(R"("min_repetitions": 5, "max_repetitions": 4, "tests": [])"),
      "expected at least min_repetitions = 5, got 4"
  );
}

TEST(ProbePlan, RefusesSizesThatCannotBeSent) {
  for (char const* const bytes : {"[-1]", "[1073741825]", "[1.5]", "[]"}) {
    expect_complaint(
        plan_of_test(R"("test": "latency", "sets": [], "bytes": )" + std::string(bytes)),
        "plan.json: tests[0]: bytes"
    );
  }
  EXPECT_EQ(
      complaint_about(plan_of_test(R"("test": "latency", "sets": [], "bytes": [0, 1073741824])")),
      ""
  );
}

TEST(ProbePlan, RefusesManyMessagesWhereOneIsTimed) {
  std::string const rest = R"(, "bytes": [8], "messages": 2, "sets": [])";
  for (char const* const test : {"latency", "send_overhead", "receive_overhead"}) {
    expect_complaint(
        plan_of_test(R"("test": ")" + std::string(test) + '"' + rest),
        "messages: expected 1 for the test " + std::string(test) + ", got 2"
    );
  }
  EXPECT_EQ(complaint_about(plan_of_test(R"("test": "bidirectional")" + rest)), "");
}

TEST(ProbePlan, RefusesSetsThatCannotRun) {
  expect_complaint(plan_of_sets("[[[0, 0]]]"), "rank 0 again");
  expect_complaint(plan_of_sets("[[[0, 1]], [[0, 1], [2, 0]]]"), "sets[1][1]: expected a rank");
  expect_complaint(plan_of_sets("[[]]"), "sets[0]: expected at least one pair");
  expect_complaint(plan_of_sets("[[[0, 1, 2]]]"), "a pair [sender, receiver]");
  expect_complaint(plan_of_sets("[[[0, -1]]]"), "at least 0");
}

TEST(ProbePlan, RefusesRanksThatTheJobDoesNotHave) {
  EXPECT_EQ(complaint_about(plan_of_sets("[[[0, 3]]]")), "");
  expect_complaint(
      plan_of_sets("[[[0, 1]], [[2, 4]]]"),
      "tests[0]: sets[1]: expected ranks of this job, which has 4, got rank 4"
  );
  expect_complaint(plan_of_sets("[[[0, 1]]]"), "at least 2 ranks", 1);
}

}  // namespace
}  // namespace espalier::measure::probe
