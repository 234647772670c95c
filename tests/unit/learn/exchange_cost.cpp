// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/exchange_cost.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace espalier::learn {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

TEST(ExchangeCost, ChargesTheFirstOnesWhenTheirPriceIsKnown) {
  ExchangeCost cost;
  ASSERT_TRUE(cost.wants_whole());
  cost.count(true);
  EXPECT_EQ(cost.pay(unknown, unknown), 0);
  ASSERT_TRUE(cost.wants_whole());
  cost.count(true);
  EXPECT_EQ(cost.pay(0.25, 2), 0) << "one may have been disturbed";
  EXPECT_FALSE(cost.wants_whole());
  cost.count(false);
  EXPECT_EQ(cost.pay(0.5, 1), 5);
  cost.count(false);
  EXPECT_EQ(cost.pay(0.5, unknown), 1);
  EXPECT_EQ(cost.price(), 1);
  EXPECT_EQ(cost.shortest(), 0.25);
}

TEST(ExchangeCost, ChargesTheOneThatTookLonger) {
  ExchangeCost cost;
  for (int i = 0; i < 2; ++i) {
    cost.count(true);
    cost.pay(1, 1);
  }
  cost.count(false);
  EXPECT_EQ(cost.pay(3, unknown), 3);
  EXPECT_EQ(cost.price(), 1) << "the next one need not";
}

TEST(ExchangeCost, IsNothingBeforeAnyWasMade) {
  EXPECT_EQ(ExchangeCost().price(), 0);
  EXPECT_EQ(ExchangeCost().shortest(), 0);
}

}  // namespace
}  // namespace espalier::learn
