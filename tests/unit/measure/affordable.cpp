// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/affordable.hpp"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace espalier::measure {
namespace {

using Positions = std::vector<std::size_t>;

TEST(Affordable, LeavesNobodyOutWhereTheTimeSuffices) {
  Affordable const affordable{.seconds = 10.0, .calls_of_each = 4};
  EXPECT_EQ(affordable.of(std::vector{0.5, 1.0, 0.9}), (Positions{0, 1, 2}));
}

TEST(Affordable, LeavesOutTheSlowestUntilTheOthersFit) {
  Affordable const affordable{.seconds = 10.0, .calls_of_each = 4};
  EXPECT_EQ(affordable.of(std::vector{0.5, 3.0, 0.9, 2.0, 0.6}), (Positions{0, 2, 4}));
}

TEST(Affordable, KeepsThoseThatAreNearlyAsFastAsTheFastest) {
  Affordable const affordable{.seconds = 1.0, .calls_of_each = 4};
  EXPECT_EQ(affordable.of(std::vector{1.4, 1.0, 1.6, 1.49}), (Positions{0, 1, 3}));
}

TEST(Affordable, KeepsTheFirstOnesHoweverSlowTheyAre) {
  Affordable const affordable{.seconds = 1.0, .calls_of_each = 1, .num_kept = 2};
  EXPECT_EQ(affordable.of(std::vector{9.0, 8.0, 7.0, 0.1}), (Positions{0, 1, 3}));
}

TEST(Affordable, IsEmptyForNobody) {
  EXPECT_TRUE(Affordable{}.of({}).empty());
}

}  // namespace
}  // namespace espalier::measure
