// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/one_sided/team_plan.hpp"

#include <string>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::measure {
namespace {

using profile::Call;

std::string plan_with(std::string const& requests, std::string const& mode = "mysync") {
  return R"({"schema": "espalier-team-plan", "version": 1, "in": "allsync", "out": ")" + mode +
         R"(", "has_local_addresses": false, "is_anew": true, "seconds": 2, "requests": )" +
         requests + "}";
}

std::string complaint_about(std::string const& text) {
  try {
    static_cast<void>(TeamPlan::parse(text, "plan.json"));
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::format);
    return error.what();
  }
  return {};
}

TEST(TeamPlan, ReadsModesAndRequests) {
  TeamPlan const plan = TeamPlan::parse(
      plan_with(R"([{"collective": "bcast", "bytes": 8}, {"collective": "barrier", "bytes": 0}])"),
      "plan.json"
  );
  EXPECT_EQ(plan.in, 0);
  EXPECT_EQ(plan.out, 1);
  EXPECT_TRUE(plan.is_anew);
  EXPECT_TRUE(plan.transport.empty());
  ASSERT_EQ(plan.requests.size(), 2U);
  EXPECT_EQ(plan.requests[0].call, Call::bcast);
  EXPECT_EQ(plan.requests[0].bytes, 8);
  EXPECT_EQ(plan.requests[1].call, Call::barrier);
}

TEST(TeamPlan, SaysWhatIsWrong) {
  EXPECT_NE(complaint_about(plan_with("[]")).find("at least one request"), std::string::npos);
  std::string const scan = R"([{"collective": "scan", "bytes": 8}])";
  EXPECT_NE(complaint_about(plan_with(scan)).find("a collective of teams"), std::string::npos);
  std::string const nothing = R"([{"collective": "bcast", "bytes": 0}])";
  EXPECT_NE(complaint_about(plan_with(nothing)).find("requests[0]: bytes"), std::string::npos);
  std::string const bcast = R"([{"collective": "bcast", "bytes": 8}])";
  EXPECT_NE(complaint_about(plan_with(bcast, "sync")).find("allsync, mysync"), std::string::npos);
}

TEST(TeamBuffers, HoldPartsOfTheWholeResult) {
  TeamBuffers const scattered = buffers_of({.call = Call::scatter, .bytes = 100}, 8);
  EXPECT_EQ(scattered.block, 12);
  EXPECT_EQ(scattered.sent, 96);
  EXPECT_EQ(scattered.received, 12);
  EXPECT_EQ(buffers_of({.call = Call::allgather, .bytes = 100}, 8).received, 96);
  EXPECT_EQ(buffers_of({.call = Call::alltoall, .bytes = 3}, 8).sent, 8) << "a byte a block";
  EXPECT_EQ(buffers_of({.call = Call::allreduce, .bytes = 100}, 8).received, 100);
  EXPECT_EQ(buffers_of({.call = Call::barrier, .bytes = 0}, 8).sent, 0);
}

}  // namespace
}  // namespace espalier::measure
