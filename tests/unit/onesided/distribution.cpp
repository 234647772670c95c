// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/array/distribution.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::onesided {
namespace {

std::string refusal(std::vector<ArrayDimension> const& dims, int num_ranks) {
  try {
    Distribution const distribution(dims, num_ranks);
    return "";
  } catch (Error const& error) {
    return error.what();
  }
}

/// Owner of each element of one dimension.
std::vector<int> owners(ArrayDimension const& dim, int num_ranks) {
  Distribution const distribution({dim}, num_ranks);
  std::vector<int> result;
  for (std::int64_t i = 0; i < dim.extent; ++i) {
    result.push_back(distribution.element_place({i}).rank);
  }
  return result;
}

TEST(Distribution, DealsBlocksInTurn) {
  EXPECT_EQ(owners({.extent = 9, .block = 2}, 3), (std::vector{0, 0, 1, 1, 2, 2, 0, 0, 1}));
}

TEST(Distribution, IsCyclicWithBlocksOfOne) {
  EXPECT_EQ(owners({.extent = 5, .block = 1}, 3), (std::vector{0, 1, 2, 0, 1}));
}

TEST(Distribution, GivesEachRankOneBlockIfNothingIsSaid) {
  EXPECT_EQ(owners({.extent = 7}, 3), (std::vector{0, 0, 0, 1, 1, 1, 2}));
  EXPECT_EQ(owners({.extent = 2}, 3), (std::vector{0, 1}));
}

TEST(Distribution, GivesAllToOneRankInOneBlock) {
  EXPECT_EQ(owners({.extent = 3, .block = 3}, 4), (std::vector{0, 0, 0}));
}

TEST(Distribution, PutsBlocksOfARankOneBehindTheOther) {
  Distribution const distribution({{.extent = 9, .block = 2}}, 3);
  EXPECT_EQ(distribution.num_slots(), 2);
  EXPECT_EQ(distribution.num_elements(), 4);
  EXPECT_EQ(distribution.element_place({7}), (ElementPlace{.rank = 0, .position = 3}));
  EXPECT_EQ(distribution.element_place({8}), (ElementPlace{.rank = 1, .position = 2}));
}

TEST(Distribution, IsCartesianInRowMajorOrder) {
  // Blocks of 2 x 3 on a grid of 2 x 2: block (1, 2) is the second one of rank 2.
  Distribution const distribution(
      {{.extent = 4, .block = 2, .grid = 2}, {.extent = 9, .block = 3, .grid = 0}}, 4
  );
  EXPECT_EQ(distribution.dims()[1].grid, 2);
  EXPECT_EQ(distribution.block_place({1, 2}), (BlockPlace{.rank = 2, .slot = 1}));
  EXPECT_EQ(distribution.element_place({3, 7}), (ElementPlace{.rank = 2, .position = 6 + 3 + 1}));
}

TEST(Distribution, HasAPlaceOfItsOwnForEachElement) {
  for (int const num_ranks : {1, 2, 3, 5, 6, 7, 8, 12}) {
    for (int first = 1; first <= num_ranks; ++first) {
      if (num_ranks % first != 0) {
        continue;
      }
      Distribution const distribution(
          {{.extent = 11, .block = 2, .grid = first}, {.extent = 7, .block = 3}}, num_ranks
      );
      std::set<std::pair<int, std::int64_t>> places;
      for (std::int64_t i = 0; i < 11; ++i) {
        for (std::int64_t j = 0; j < 7; ++j) {
          ElementPlace const place = distribution.element_place({i, j});
          ASSERT_GE(place.rank, 0);
          ASSERT_LT(place.rank, num_ranks);
          ASSERT_LT(place.position, distribution.num_elements());
          places.emplace(place.rank, place.position);
        }
      }
      EXPECT_EQ(places.size(), 77U);
    }
  }
}

TEST(Distribution, RefusesWhatNoArrayCanBe) {
  EXPECT_NE(refusal({}, 1).find("1 .. 4 dimensions, got 0"), std::string::npos);
  EXPECT_NE(refusal({{.extent = 0}}, 1).find("extent in 1 .."), std::string::npos);
  EXPECT_NE(refusal({{.extent = 2, .block = -1}}, 1).find("got -1"), std::string::npos);
  EXPECT_NE(refusal({{.extent = 2, .grid = -2}}, 2).find("got -2"), std::string::npos);
  std::int64_t const large = std::int64_t{1} << 30;
  ArrayDimension const one{.extent = large, .block = large, .grid = 1};
  EXPECT_NE(refusal({one, one}, 1).find("on each process"), std::string::npos);
}

TEST(Distribution, RefusesAGridOfOtherRanks) {
  EXPECT_NE(
      refusal({{.extent = 9, .grid = 3}}, 4).find("grid of the 4 processes"), std::string::npos
  );
  EXPECT_NE(
      refusal({{.extent = 9, .grid = 3}, {.extent = 9}}, 4).find("have 3"), std::string::npos
  );
  EXPECT_NE(refusal({{.extent = 9}, {.extent = 9}}, 4).find("several"), std::string::npos);
}

TEST(Distribution, RefusesElementsThatItDoesNotHave) {
  Distribution const distribution({{.extent = 9, .block = 2}}, 3);
  EXPECT_THROW((void)distribution.element_place({9}), Error);
  EXPECT_THROW((void)distribution.element_place({-1}), Error);
}

}  // namespace
}  // namespace espalier::onesided
