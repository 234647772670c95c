// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/dims/descending_factors.hpp"

namespace espalier::mapping {

std::vector<int> divisors(int n) {
  std::vector<int> small;
  std::vector<int> large;
  for (int i = 1; i <= n / i; ++i) {
    if (n % i == 0) {
      small.push_back(i);
      if (n / i != i) {
        large.push_back(n / i);
      }
    }
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

}  // namespace espalier::mapping
