// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/memory/integers.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/exec/memory/layout.hpp"

namespace espalier::exec {
namespace {

constexpr std::int64_t big = std::int64_t{1} << 33;

TEST(Integers, ReadsListsOfBothWidths) {
  std::vector<int> const narrow{-1, 7};
  std::vector<long long> const wide{-1, big};
  Integers const a = narrow;
  Integers const b = Integers::wide(wide.data()).first(2);
  EXPECT_EQ(a[0], -1);
  EXPECT_EQ(a[1], 7);
  EXPECT_EQ(b[0], -1);
  EXPECT_EQ(b[1], big);
  EXPECT_EQ(a.bytes().size(), 2 * sizeof(int));
  EXPECT_EQ(b.bytes().size(), 2 * sizeof(long long));
}

TEST(Integers, ListsAreTheSameIfTheirMemoryIs) {
  std::vector<int> const numbers{1, 2, 3};
  std::vector<int> const copy = numbers;
  EXPECT_EQ(Integers(numbers.data()), Integers(numbers.data()));
  EXPECT_NE(Integers(numbers), Integers(copy));
  EXPECT_NE(Integers(numbers).first(2), Integers(numbers));
}

TEST(Integers, NoListHasNoNumbers) {
  Integers const none = nullptr;
  EXPECT_TRUE(none == nullptr);
  EXPECT_TRUE(none.first(5).empty());
  EXPECT_TRUE(none.first(5).bytes().empty());
  EXPECT_TRUE(Integers::wide(nullptr) == nullptr);
}

TEST(Integers, LayoutsTakeOneListOfEachWidth) {
  std::vector<int> const counts{2, 1};
  std::vector<std::int64_t> const displacements{big, 0};
  Layout const layout = Layout::varying(counts, displacements, 4);
  EXPECT_EQ(layout.block(0), (Extent{.offset_bytes = 4 * big, .num_elements = 2}));
  EXPECT_EQ(layout.num_elements(), 3);
}

TEST(Integers, WideNegativeCountsAreRefused) {
  std::vector<std::int64_t> const counts{1, -big};
  EXPECT_THROW(static_cast<void>(Layout::varying(counts, counts, 1)), Error);
}

}  // namespace
}  // namespace espalier::exec
