// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/dims/cartesian_grid.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::mapping {
namespace {

std::string refusal(std::vector<int> extents, std::vector<bool> is_periodic = {}) {
  try {
    CartesianGrid const grid(std::move(extents), std::move(is_periodic));
  } catch (Error const& error) {
    return error.what();
  }
  return {};
}

TEST(CartesianGrid, NumbersTheLastDimensionFastest) {
  CartesianGrid const grid({2, 3, 4});
  EXPECT_EQ(grid.num_positions(), 24);
  EXPECT_EQ(grid.stride(0), 12);
  EXPECT_EQ(grid.stride(2), 1);
  for (int position = 0; position < 24; ++position) {
    std::vector<int> const there{
        grid.coordinate(position, 0), grid.coordinate(position, 1), grid.coordinate(position, 2)
    };
    EXPECT_EQ(there[0] * 12 + there[1] * 4 + there[2], position);
    EXPECT_EQ(grid.position(there), position);
  }
}

TEST(CartesianGrid, ShiftsAsFarAsThereAreNeighbors) {
  CartesianGrid const grid({3, 4}, {false, true});
  EXPECT_EQ(grid.shifted(0, std::vector{1, 0}), 4);
  EXPECT_EQ(grid.shifted(0, std::vector{-1, 0}), -1);
  EXPECT_EQ(grid.shifted(8, std::vector{1, 0}), -1);
  EXPECT_EQ(grid.shifted(0, std::vector{0, -1}), 3);
  EXPECT_EQ(grid.shifted(5, std::vector{1, 3}), 8);
  EXPECT_EQ(grid.shifted(5, std::vector{0, -9}), 4);
  EXPECT_EQ(grid.shifted(5, std::vector{2'000'000'000, 0}), -1);
}

TEST(CartesianGrid, KnowsOneProcess) {
  CartesianGrid const grid({1}, {true});
  EXPECT_EQ(grid.shifted(0, std::vector{1}), 0);
  EXPECT_EQ(CartesianGrid({1}).shifted(0, std::vector{1}), -1);
}

TEST(CartesianGrid, RefusesWhatIsNoGrid) {
  EXPECT_EQ(refusal({}), "expected a grid of at least one dimension, got none");
  EXPECT_EQ(refusal({4, 0}), "expected extents of at least 1 of a grid, got 4x0");
  EXPECT_EQ(
      refusal({65536, 65536}), "expected a grid of at most 2^31 - 1 positions, got 65536x65536"
  );
  EXPECT_EQ(
      refusal({2, 2}, {true}), "expected for each of 2 dimensions whether it is periodic, got 1"
  );
  EXPECT_EQ(refusal({2147483647}), "");
}

}  // namespace
}  // namespace espalier::mapping
