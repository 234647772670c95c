// SPDX-License-Identifier: Apache-2.0

#include "espalier/base/integer.hpp"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"

namespace espalier {
namespace {

static_assert(
    ceil_div(0, 3) == 0 && ceil_div(1, 3) == 1 && ceil_div(3, 3) == 1 && ceil_div(4, 3) == 2
);
static_assert(!is_power_of_two(0) && !is_power_of_two(-4) && is_power_of_two(1));

TEST(Integer, CeilDivDoesNotOverflowNearTheLimit) {
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(ceil_div(largest, std::int64_t{2}), largest / 2 + 1);
  EXPECT_EQ(ceil_div(largest, largest), 1);
}

TEST(Integer, WrapIsTheModuloThatIsNeverNegative) {
  for (int n = 1; n <= 7; ++n) {
    for (int a = -20; a <= 20; ++a) {
      int const wrapped = wrap(a, n);
      EXPECT_GE(wrapped, 0);
      EXPECT_LT(wrapped, n);
      EXPECT_EQ((a - wrapped) % n, 0) << a << " modulo " << n;
    }
  }
  EXPECT_EQ(wrap(std::int64_t{1} << 40, 7), static_cast<int>((std::int64_t{1} << 40) % 7));
}

TEST(Integer, LogarithmsAreExactAroundPowers) {
  for (int e = 1; e < 30; ++e) {
    int const power = 1 << e;
    EXPECT_EQ(floor_log2(power - 1), e - 1);
    EXPECT_EQ(floor_log2(power), e);
    EXPECT_EQ(ceil_log2(power), e);
    EXPECT_EQ(ceil_log2(power + 1), e + 1);
    EXPECT_TRUE(is_power_of_two(power));
    EXPECT_FALSE(is_power_of_two(power + 1));
  }
  EXPECT_EQ(floor_log2(1), 0);
  EXPECT_EQ(ceil_log2(1), 0);
  EXPECT_EQ(ceil_log2(std::numeric_limits<int>::max()), 31);
}

TEST(Integer, CeilLogCountsHowOftenTheBaseIsNeeded) {
  for (int base = 2; base <= 5; ++base) {
    for (int n = 1; n <= 200; ++n) {
      int const exponent = ceil_log(base, n);
      int below = 1;
      for (int i = 1; i < exponent; ++i) {
        below *= base;
      }
      EXPECT_GE(below * (exponent == 0 ? 1 : base), n);
      EXPECT_TRUE(exponent == 0 || below < n) << base << " " << n;
    }
  }
  EXPECT_EQ(ceil_log(10, std::numeric_limits<int>::max()), 10);
}

TEST(Integer, PartsCoverEverythingAndDifferByAtMostOne) {
  for (int n = 0; n <= 20; ++n) {
    for (int num_parts = 1; num_parts <= 7; ++num_parts) {
      std::int64_t end = 0;
      for (int i = 0; i < num_parts; ++i) {
        EXPECT_EQ(part_begin(n, num_parts, i), end);
        std::int64_t const size = part_size(n, num_parts, i);
        EXPECT_TRUE(size == n / num_parts || size == n / num_parts + 1);
        EXPECT_TRUE(i == 0 || size <= part_size(n, num_parts, i - 1));
        end += size;
      }
      EXPECT_EQ(end, n);
    }
  }
}

TEST(Error, KeepsCodeAndText) {
  Error const error(ErrorCode::format, "expected this, got that");
  EXPECT_EQ(error.code(), ErrorCode::format);
  EXPECT_STREQ(error.what(), "expected this, got that");
}

}  // namespace
}  // namespace espalier
