// SPDX-License-Identifier: Apache-2.0

#include "espalier/pattern/factors.hpp"

#include <algorithm>
#include <limits>

namespace espalier::pattern {

std::vector<int> divisors_up_to(int n, int k) {
  std::vector<int> divisors;
  for (int divisor = std::min(n, k); divisor > 1; divisor = std::min(n, divisor)) {
    if (n % divisor == 0) {
      divisors.push_back(divisor);
      n /= divisor;
    } else {
      --divisor;
    }
  }
  return n == 1 ? divisors : std::vector<int>{};
}

std::pair<int, int> nearest_factors(int n) {
  int factor = 1;
  for (int i = 2; i <= n / i; ++i) {
    factor = n % i == 0 ? i : factor;
  }
  return {n / factor, factor};
}

std::int64_t product(std::vector<int> const& factors) {
  std::int64_t result = 1;
  for (int const factor : factors) {
    if (result <= std::numeric_limits<int>::max()) {
      result *= factor;
    }
  }
  return result;
}

}  // namespace espalier::pattern
