// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/array/region.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::onesided {
namespace {

/// 10 blocks on 3 ranks.
Distribution line() {
  return Distribution({{.extent = 20, .block = 2}}, 3);
}

/// 3 x 4 blocks on 2 x 2 ranks.
Distribution plane() {
  return Distribution(
      {{.extent = 6, .block = 2, .grid = 2}, {.extent = 8, .block = 2, .grid = 2}}, 4
  );
}

std::vector<int>
ranks(Distribution const& distribution, std::vector<BlockInterval> const& intervals) {
  std::vector<int> result;
  for (BlockPlace const& place : blocks_of(distribution, intervals)) {
    result.push_back(place.rank);
  }
  return result;
}

std::string refusal(Distribution const& distribution, std::vector<BlockInterval> const& intervals) {
  try {
    (void)blocks_of(distribution, intervals);
    return "";
  } catch (Error const& error) {
    return error.what();
  }
}

TEST(Region, IsOneBlockWithoutAStride) {
  EXPECT_EQ(
      blocks_of(line(), std::vector<BlockInterval>{{5, 0, 0}}),
      (std::vector{BlockPlace{.rank = 2, .slot = 1}})
  );
  EXPECT_EQ(ranks(line(), {{5, 0, 5}}), (std::vector{2}));
}

TEST(Region, IsAllBlocksUpToTheLast) {
  EXPECT_EQ(ranks(line(), {{0, 1, -1}}), (std::vector{0, 1, 2, 0, 1, 2, 0, 1, 2, 0}));
}

TEST(Region, TakesStridesAndEndsBeforeTheLast) {
  EXPECT_EQ(ranks(line(), {{1, 3, 8}}), (std::vector{1, 1, 1}));
  EXPECT_EQ(ranks(line(), {{0, 4, 9}}), (std::vector{0, 1, 2}));
}

TEST(Region, GoesRowByRow) {
  EXPECT_EQ(ranks(plane(), {{0, 1, -1}, {1, 0, 0}}), (std::vector{1, 3, 1}));
  EXPECT_EQ(ranks(plane(), {{0, 2, -1}, {0, 3, -1}}), (std::vector{0, 1, 0, 1}));
}

TEST(Region, RefusesBlocksOutsideOfTheArray) {
  EXPECT_NE(refusal(line(), {{10, 0, 0}}).find("blocks in 0 .. 9"), std::string::npos);
  EXPECT_NE(refusal(line(), {{-1, 1, 3}}).find("got -1 .. 3"), std::string::npos);
  EXPECT_NE(refusal(line(), {{0, 1, 10}}).find("got 0 .. 10"), std::string::npos);
  EXPECT_NE(refusal(line(), {{4, 1, 3}}).find("got 4 .. 3"), std::string::npos);
  EXPECT_NE(refusal(plane(), {{0, 1, -1}, {4, 0, 0}}).find("dimension 1"), std::string::npos);
}

TEST(Region, RefusesStridesThatMeanNothing) {
  EXPECT_NE(refusal(line(), {{0, 0, 3}}).find("stride of at least 1"), std::string::npos);
  EXPECT_NE(refusal(line(), {{0, -1, 3}}).find("stride of at least 1"), std::string::npos);
}

TEST(Region, NeedsAnIntervalForEachDimension) {
  EXPECT_NE(refusal(plane(), {{0, 1, -1}}).find("2 intervals"), std::string::npos);
}

}  // namespace
}  // namespace espalier::onesided
