// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/orders/order_plan.hpp"

#include <string>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::measure {
namespace {

std::string const usual_orders =
    R"([{"name": "standard", "ranks": [1, 2, 0]}, {"name": "fef", "ranks": [1, 0, 2]}])";

std::string
plan_with(std::string const& orders, std::string const& collective = "scatter", int root = 1) {
  return R"({"schema": "espalier-order-plan", "version": 1, "root": )" + std::to_string(root) +
         R"(, "creations": 4, "orders": )" + orders +
         R"(, "measurement": {"schema": "espalier-measurement-plan", "version": 1, "seed": 7,
             "points": [{"collective": ")" +
         collective + R"(", "bytes": 300, "algorithms": ["scatter/binomial"]}]}})";
}

std::string complaint_about(std::string const& text) {
  try {
    static_cast<void>(OrderPlan::parse(text, "plan.json"));
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::format);
    return error.what();
  }
  return {};
}

TEST(OrderPlan, ReadsOrdersAndCalls) {
  OrderPlan const plan = OrderPlan::parse(plan_with(usual_orders), "plan.json");
  EXPECT_EQ(plan.root, 1);
  EXPECT_EQ(plan.creations, 4);
  EXPECT_EQ(plan.num_ranks(), 3);
  ASSERT_EQ(plan.orders.size(), 2U);
  EXPECT_EQ(plan.orders[1].name, "fef");
  EXPECT_EQ(plan.orders[1].ranks, (mapping::RankVector{1, 0, 2}));
  EXPECT_EQ(plan.measurement.seed, 7U);
  ASSERT_EQ(plan.measurement.points.size(), 1U);
  EXPECT_EQ(plan.measurement.points[0].choices.front(), "scatter/binomial");
}

TEST(OrderPlan, SaysWhichOrderIsWrong) {
  auto const complaint = [](std::string const& orders) {
    return complaint_about(plan_with(orders));
  };
  EXPECT_NE(complaint("[]").find("at least one order"), std::string::npos);
  EXPECT_NE(
      complaint(R"([{"name": "a", "ranks": [1, 1, 0]}])").find("orders[0]"), std::string::npos
  );
  EXPECT_NE(complaint(R"([{"name": "a", "ranks": [0, 1]}])").find("root 1"), std::string::npos);
  EXPECT_NE(complaint(R"([{"name": "a", "ranks": []}])").find("root 1"), std::string::npos);
  EXPECT_NE(
      complaint(R"([{"name": "a", "ranks": [1, 0]}, {"name": "a", "ranks": [1, 0]}])")
          .find("another name"),
      std::string::npos
  );
  EXPECT_NE(
      complaint(R"([{"name": "a", "ranks": [1, 0]}, {"name": "b", "ranks": [1, 0, 2]}])")
          .find("2 ranks"),
      std::string::npos
  );
}

TEST(OrderPlan, RefusesCallsThatGoByNoTree) {
  EXPECT_EQ(complaint_about(plan_with(usual_orders, "gather")), "");
  EXPECT_EQ(complaint_about(plan_with(usual_orders, "bcast")), "");
  EXPECT_NE(
      complaint_about(plan_with(usual_orders, "allgather")).find("scatter, gather or bcast"),
      std::string::npos
  );
}

TEST(OrderPlan, RefusesOtherFiles) {
  EXPECT_NE(complaint_about(R"({"schema": "espalier-profile", "version": 1})"), "");
  EXPECT_NE(complaint_about(R"({"schema": "espalier-order-plan", "version": 2})"), "");
  EXPECT_NE(complaint_about("[1"), "");
  EXPECT_NE(
      complaint_about(
          R"({"schema": "espalier-order-plan", "version": 1, "root": 0, "creations": 1,
              "orders": [{"name": "a", "ranks": [0]}]})"
      )
          .find("measurement"),
      std::string::npos
  );
}

}  // namespace
}  // namespace espalier::measure
