// SPDX-License-Identifier: Apache-2.0

#include "espalier/learn/exchange_cost.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace espalier::learn {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

TEST(ExchangeCost, ChargesTheFirstOnesWhenTheirPriceIsKnown) {
  ExchangeCost cost;
  ASSERT_FALSE(cost.wants_whole(unknown, 9)) << "it might take long";
  cost.count(false);
  EXPECT_EQ(cost.pay(unknown, unknown), 0);
  ASSERT_TRUE(cost.wants_whole(0.25, 9));
  cost.count(true);
  EXPECT_EQ(cost.pay(0.25, unknown), 0);
  ASSERT_TRUE(cost.wants_whole(0.5, 9));
  cost.count(true);
  EXPECT_EQ(cost.pay(0.5, 2), 0) << "one may have been disturbed";
  EXPECT_FALSE(cost.wants_whole(0.5, 9));
  cost.count(false);
  EXPECT_EQ(cost.pay(0.5, 1), 6);
  cost.count(false);
  EXPECT_EQ(cost.pay(0.5, unknown), 1);
  EXPECT_EQ(cost.price(), 1);
  EXPECT_EQ(cost.shortest(), 0.25);
}

TEST(ExchangeCost, TimesNoWholeOneThatIsTooDear) {
  ExchangeCost cost;
  cost.count(false);
  cost.pay(unknown, unknown);
  EXPECT_FALSE(cost.wants_whole(3, 2));
  cost.count(false);
  EXPECT_EQ(cost.pay(3, unknown), 6) << "what is known is charged";
  EXPECT_FALSE(cost.wants_whole(1, 2)) << "they took long lately";
  cost.count(false);
  EXPECT_EQ(cost.pay(1, unknown), 1);
  EXPECT_TRUE(cost.wants_whole(1, 2));
}

TEST(ExchangeCost, ChargesTheOneThatTookLonger) {
  ExchangeCost cost;
  for (int i = 0; i < 2; ++i) {
    cost.count(true);
    cost.pay(1, 1);
  }
  cost.count(false);
  EXPECT_EQ(cost.pay(3, unknown), 3);
  EXPECT_EQ(cost.price(), 2) << "the next one may take long, too";
  cost.count(false);
  EXPECT_EQ(cost.pay(1, unknown), 1);
  EXPECT_EQ(cost.price(), 1.5) << "it did not";
}

TEST(ExchangeCost, ChargesTheRestAtTheLastPriceOrAtThatOfOthers) {
  ExchangeCost cost;
  cost.count(false);
  cost.count(false);
  EXPECT_EQ(cost.pay_rest(2), 4) << "nobody told its own price";
  EXPECT_EQ(cost.pay_rest(2), 0) << "all is paid";
  cost.count(true);
  cost.pay(3, unknown);
  EXPECT_EQ(cost.pay_rest(2), 6) << "of the call and of the whole one";
}

TEST(ExchangeCost, IsNothingBeforeAnyWasMade) {
  EXPECT_EQ(ExchangeCost().price(), 0);
  EXPECT_EQ(ExchangeCost().shortest(), 0);
}

}  // namespace
}  // namespace espalier::learn
