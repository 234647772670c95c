// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/counts_key.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace espalier::plan {
namespace {

using exec::Integers;

constexpr std::int64_t big = std::int64_t{1} << 33;

TEST(StoredCounts, OutliveTheListsOfTheCall) {
  std::vector<int> counts{3, 1, 4};
  std::vector<std::int64_t> places{0, big, 1};
  CountsKey const key{Integers(counts), Integers(places), {}, {}};
  StoredCounts const stored(key);
  EXPECT_TRUE(stored.equals(key));
  EXPECT_EQ(hash_of(stored.key()), hash_of(key));
  counts.assign(3, 0);
  EXPECT_FALSE(stored.equals(key));
  EXPECT_EQ(stored.key()[0][2], 4);
  EXPECT_EQ(stored.key()[1][1], big);
  EXPECT_TRUE(stored.key()[2].empty());
}

TEST(StoredCounts, NumbersThatDifferAboveThirtyTwoBitsAreOthers) {
  std::vector<std::int64_t> const small{5, 7};
  std::vector<std::int64_t> const large{5, 7 + big};
  CountsKey const a{Integers(small), {}, {}, {}};
  CountsKey const b{Integers(large), {}, {}, {}};
  EXPECT_FALSE(StoredCounts(a).equals(b));
  EXPECT_NE(hash_of(a), hash_of(b));
}

TEST(StoredCounts, ListsOfOtherWidthOrPlaceAreOthers) {
  // The same bytes on a machine with the lower half first.
  std::vector<int> const narrow{5, 0};
  std::vector<std::int64_t> const wide{5};
  CountsKey const first{Integers(narrow), {}, {}, {}};
  CountsKey const second{Integers(), Integers(narrow), {}, {}};
  EXPECT_FALSE(StoredCounts(first).equals({Integers(wide), {}, {}, {}}));
  EXPECT_FALSE(StoredCounts(first).equals(second));
  EXPECT_TRUE(StoredCounts(CountsKey{}).equals({}));
}

}  // namespace
}  // namespace espalier::plan
