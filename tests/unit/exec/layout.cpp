// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/memory/layout.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier::exec {
namespace {

constexpr std::int64_t big = std::int64_t{1} << 33;

TEST(Layout, UniformBlocksFollowEachOther) {
  Layout const layout = Layout::uniform(5, 3, 8);
  EXPECT_EQ(layout.num_blocks(), 5);
  EXPECT_EQ(layout.num_elements(), 15);
  EXPECT_EQ(layout.block(0), (Extent{.offset_bytes = 0, .num_elements = 3}));
  EXPECT_EQ(layout.block(4), (Extent{.offset_bytes = 96, .num_elements = 3}));
}

TEST(Layout, OffsetsAreNotLimitedTo32Bits) {
  EXPECT_EQ(Layout::uniform(4, big, 16).block(3).offset_bytes, 3 * big * 16);
  Layout const cut = Layout::pieces(4 * big, 4, 1);
  EXPECT_EQ(cut.block(3), (Extent{.offset_bytes = 3 * big, .num_elements = big}));
  std::vector<std::int64_t> const counts{1, big};
  std::vector<std::int64_t> const displacements{-big, big};
  Layout const varying = Layout::varying(counts, displacements, 4);
  EXPECT_EQ(varying.block(0).offset_bytes, -4 * big);
  EXPECT_EQ(varying.block(1), (Extent{.offset_bytes = 4 * big, .num_elements = big}));
}

TEST(Layout, VaryingCopiesItsArrays) {
  std::vector<int> counts{2, 0, 5};
  std::vector<int> displacements{7, 100, 0};
  Layout const layout = Layout::varying(counts, displacements, 4);
  counts.assign(3, 9);
  displacements.assign(3, 9);
  EXPECT_EQ(layout.block(0), (Extent{.offset_bytes = 28, .num_elements = 2}));
  EXPECT_EQ(layout.block(1).num_elements, 0);
  EXPECT_EQ(layout.block(2), (Extent{.offset_bytes = 0, .num_elements = 5}));
  EXPECT_EQ(layout.num_elements(), 7);
}

TEST(Layout, RefusesWhatIsNoLayout) {
  std::vector<int> const one{1};
  std::vector<int> const two{1, 2};
  std::vector<int> const negative{-1};
  EXPECT_THROW(static_cast<void>(Layout::varying(one, two, 1)), Error);
  EXPECT_THROW(static_cast<void>(Layout::varying(negative, one, 1)), Error);
  EXPECT_THROW(static_cast<void>(Layout::uniform(2, -1, 1)), Error);
  EXPECT_THROW(static_cast<void>(Layout::pieces(10, 0, 1)), Error);
}

class Pieces : public testing::TestWithParam<std::int64_t> {};

TEST_P(Pieces, CoverTheMessageOnceAndAreNearlyEqual) {
  for (int const num_blocks : {1, 2, 3, 7, 16, 33}) {
    for (std::int64_t const extent : {1, 8}) {
      Layout const layout = Layout::pieces(GetParam(), num_blocks, extent);
      std::int64_t const granule = extent == 1 ? 64 : 1;
      std::int64_t end = 0;
      std::int64_t largest = 0;
      for (int b = 0; b < num_blocks; ++b) {
        Extent const piece = layout.block(b);
        EXPECT_EQ(piece.offset_bytes, end * extent);
        EXPECT_TRUE(end % granule == 0 || piece.num_elements == 0);
        end += piece.num_elements;
        largest = std::max(largest, piece.num_elements);
      }
      EXPECT_EQ(end, GetParam());
      EXPECT_LE(largest, GetParam() / num_blocks + granule);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Pieces, testing::Values(0, 1, 63, 64, 65, 1000, 4096, 1'000'003));

TEST(Layout, DividedBlocksAreCutBetweenElements) {
  std::vector<int> const counts{5, 0, 2};
  std::vector<int> const displacements{10, 3, 0};
  Layout const layout = Layout::varying(counts, displacements, 4).divided(3);
  EXPECT_EQ(layout.num_blocks(), 9);
  EXPECT_EQ(layout.num_elements(), 7);
  EXPECT_EQ(layout.block(0), (Extent{.offset_bytes = 40, .num_elements = 2}));
  EXPECT_EQ(layout.block(2), (Extent{.offset_bytes = 56, .num_elements = 1}));
  EXPECT_EQ(layout.block(4).num_elements, 0);
  EXPECT_EQ(layout.block(7), (Extent{.offset_bytes = 4, .num_elements = 1}));
  EXPECT_EQ(layout.in_bytes().block(2), (Extent{.offset_bytes = 56, .num_elements = 4}));
  EXPECT_FALSE(layout.is_uniform());
}

TEST(Layout, WithinGivesPlacesToSomeBlocksOnly) {
  Layout const layout = Layout::uniform(1, 7, 4).divided(2).within(10, 4);
  EXPECT_EQ(layout.num_blocks(), 10);
  EXPECT_FALSE(layout.has_place(3));
  EXPECT_TRUE(layout.has_place(4));
  EXPECT_TRUE(layout.has_place(5));
  EXPECT_FALSE(layout.has_place(6));
  EXPECT_EQ(layout.block(5), (Extent{.offset_bytes = 16, .num_elements = 3}));
  EXPECT_THROW(static_cast<void>(layout.within(11, 2)), Error);
  EXPECT_FALSE(Layout::uniform(0, 0, 4).within(3, 0).has_place(0));
}

TEST(Layout, SizesAreThoseOfTheData) {
  std::vector<int> const counts{2, 3};
  Layout const layout = Layout::varying(counts, counts, 12).sizes(8);
  EXPECT_EQ(layout.block(1).num_elements, 24);
  EXPECT_EQ(layout.element_extent_bytes(), 1);
  EXPECT_EQ(Layout::pieces(100, 3, 1).sizes(0).block(1).num_elements, 0);
}

TEST(Layout, InBytesKeepsThePlaces) {
  std::vector<int> const counts{2, 3};
  std::vector<int> const displacements{4, 0};
  for (Layout const& layout :
       {Layout::uniform(2, 3, 12),
        Layout::varying(counts, displacements, 12),
        Layout::pieces(7, 2, 12)}) {
    Layout const bytes = layout.in_bytes();
    EXPECT_EQ(bytes.element_extent_bytes(), 1);
    EXPECT_EQ(bytes.num_elements(), 12 * layout.num_elements());
    for (int b = 0; b < 2; ++b) {
      EXPECT_EQ(bytes.block(b).offset_bytes, layout.block(b).offset_bytes);
      EXPECT_EQ(bytes.block(b).num_elements, 12 * layout.block(b).num_elements);
    }
    EXPECT_EQ(layout.without_elements().block(1).num_elements, 0);
  }
}

}  // namespace
}  // namespace espalier::exec
