// SPDX-License-Identifier: Apache-2.0

#include "espalier/pattern/factors.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace espalier::pattern {
namespace {

bool has_prime_factor_above(int n, int k) {
  for (int divisor = 2; n > 1; ++divisor) {
    while (n % divisor == 0) {
      if (divisor > k) {
        return true;
      }
      n /= divisor;
    }
  }
  return false;
}

TEST(Factors, UpToALimitMultiplyToTheNumberUnlessAPrimeIsLarger) {
  for (int n = 1; n <= 300; ++n) {
    for (int const k : {1, 2, 3, 4, 5, 7, 8, 16, 1000}) {
      std::vector<int> const divisors = divisors_up_to(n, k);
      if (has_prime_factor_above(n, k)) {
        EXPECT_TRUE(divisors.empty()) << n << " up to " << k;
      } else {
        EXPECT_EQ(product(divisors), n) << n << " up to " << k;
        EXPECT_TRUE(std::ranges::all_of(divisors, [k](int d) { return d > 1 && d <= k; }));
        EXPECT_TRUE(std::ranges::is_sorted(divisors, std::greater<>()));
      }
    }
  }
  EXPECT_EQ(divisors_up_to(48, 8), (std::vector{8, 6}));
  EXPECT_EQ(divisors_up_to(100, 8), (std::vector{5, 5, 4}));
}

TEST(Factors, AreNearestAroundTheSquareRoot) {
  EXPECT_EQ(nearest_factors(1), std::pair(1, 1));
  EXPECT_EQ(nearest_factors(36), std::pair(6, 6));
  EXPECT_EQ(nearest_factors(48), std::pair(8, 6));
  EXPECT_EQ(nearest_factors(127), std::pair(127, 1));
}

TEST(Factors, HaveAProductAlsoIfItIsLarge) {
  int const most = std::numeric_limits<int>::max();
  EXPECT_EQ(product({}), 1);
  EXPECT_EQ(product({2, 3, 4}), 24);
  EXPECT_GT(product({most, most, most, most}), most);
}

}  // namespace
}  // namespace espalier::pattern
