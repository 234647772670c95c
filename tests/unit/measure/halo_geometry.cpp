// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/halo/halo_geometry.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::measure {
namespace {

HaloGroup group_of(std::vector<int> grid, std::vector<HaloStride> strides = {}) {
  std::size_t const dimensions = grid.size();
  strides.resize(dimensions);
  return {
      .grid = std::move(grid),
      .is_periodic = std::vector<bool>(dimensions, true),
      .strides = std::move(strides),
      .cases = {}
  };
}

TEST(HaloGeometry, CutsAGridIntoEqualParts) {
  // 4 * 64^(1/3) * 2 = 32 points along each dimension.
  std::vector<int> const dims{4, 8, 2};
  HaloGeometry const geometry = HaloGeometry::of(group_of({4, 4, 4}), 2, dims);
  EXPECT_EQ(geometry.total, (std::vector<std::int64_t>{32, 32, 32}));
  EXPECT_EQ(geometry.local, (std::vector<std::int64_t>{8, 4, 16}));
  ASSERT_EQ(geometry.messages.size(), 3U);
  EXPECT_EQ(geometry.messages[0].num_floats(), 4 * 16);
  EXPECT_EQ(geometry.messages[1].num_floats(), 8 * 16);
  EXPECT_EQ(geometry.messages[2].num_floats(), 8 * 4);
  EXPECT_EQ(geometry.bytes(), 2 * 4 * (64 + 128 + 32));
}

TEST(HaloGeometry, RoundsToMultiplesOfTheProcesses) {
  // 1 * 12^(1/2) * 3 = 10.39 points: 12 for 4 or 6 processes, 10 for 2, 9 for 3.
  std::vector<int> const wide{6, 2};
  std::vector<int> const square{4, 3};
  EXPECT_EQ(HaloGeometry::of(group_of({1, 1}), 3, wide).total, (std::vector<std::int64_t>{12, 10}));
  EXPECT_EQ(
      HaloGeometry::of(group_of({1, 1}), 3, square).total, (std::vector<std::int64_t>{12, 9})
  );
}

TEST(HaloGeometry, LeavesEachProcessAPoint) {
  std::vector<int> const dims{1, 1, 1000};
  HaloGeometry const geometry = HaloGeometry::of(group_of({1, 1, 1}), 1, dims);
  EXPECT_EQ(geometry.local, (std::vector<std::int64_t>{10, 10, 1}));
}

TEST(HaloGeometry, HasTheLargestHaloOfTheSource) {
  std::vector<int> const dims{8, 6, 4};
  HaloGeometry const geometry = HaloGeometry::of(group_of({2, 2, 2}), 512, dims);
  EXPECT_NEAR(static_cast<double>(geometry.bytes()) / 1e6, 26.0, 0.5);
}

TEST(HaloGeometry, SpreadsBlocks) {
  std::vector<int> const dims{2, 2};
  HaloGeometry const geometry = HaloGeometry::of(
      group_of({5, 5}, {{.block = 0, .stride = 0}, {.block = 4, .stride = 7}}), 1, dims
  );
  EXPECT_EQ(geometry.messages[0], (HaloMessage{.num_blocks = 1, .block = 5, .stride = 5}));
  // Five floats grow to two blocks of four.
  EXPECT_EQ(geometry.messages[1], (HaloMessage{.num_blocks = 2, .block = 4, .stride = 7}));
  EXPECT_EQ(geometry.messages[1].bytes(), 32);
  EXPECT_EQ(geometry.messages[1].reach(), 11U);
  EXPECT_EQ(geometry.bytes(), 2 * (20 + 32));
}

TEST(HaloGeometry, LaysMessagesBehindEachOther) {
  std::vector<int> const dims{1, 1};
  HaloGeometry const geometry = HaloGeometry::of(group_of({3, 4}), 1, dims);
  EXPECT_EQ(geometry.offset(0, 0), 0U);
  EXPECT_EQ(geometry.offset(0, 1), 4U);
  EXPECT_EQ(geometry.offset(1, 0), 8U);
  EXPECT_EQ(geometry.offset(1, 1), 11U);
  EXPECT_EQ(geometry.reach(), 14U);
}

TEST(HaloGeometry, RefusesMessagesThatNoIntCounts) {
  std::vector<int> const dims{1, 1, 1};
  EXPECT_THROW(static_cast<void>(HaloGeometry::of(group_of({1000, 1000, 1000}), 50, dims)), Error);
  std::vector<HaloStride> const strides(3, {.block = 1, .stride = 1000});
  EXPECT_THROW(
      static_cast<void>(HaloGeometry::of(group_of({10, 10, 10}, strides), 150, dims)), Error
  );
}

}  // namespace
}  // namespace espalier::measure
