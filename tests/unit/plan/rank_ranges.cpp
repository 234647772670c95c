// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/settings/rank_ranges.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace espalier::plan {
namespace {

std::string text_of(std::vector<int> const& ranks) {
  return rank_ranges(ranks, 100);
}

TEST(RankRanges, NamesRunsAndSteps) {
  EXPECT_EQ(text_of({}), "");
  EXPECT_EQ(text_of({5}), "5");
  EXPECT_EQ(text_of({0, 1, 2, 3}), "0-3");
  EXPECT_EQ(text_of({0, 4, 8, 12}), "0-12:4");
  EXPECT_EQ(text_of({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(text_of({2, 3}), "2-3");
  EXPECT_EQ(text_of({2, 7}), "2,7");
}

TEST(RankRanges, KeepsTheOrder) {
  EXPECT_EQ(text_of({3, 2, 1, 0}), "3,2,1,0");
  EXPECT_EQ(text_of({2, 3, 0, 1}), "2-3,0-1");
}

TEST(RankRanges, SaysNothingWhereItWouldSayTooMuch) {
  EXPECT_EQ(rank_ranges(std::vector{5, 3, 9, 1}, 4), "");
  EXPECT_EQ(rank_ranges(std::vector{5, 3, 9, 1}, 7), "5,3,9,1");
}

}  // namespace
}  // namespace espalier::plan
