// SPDX-License-Identifier: Apache-2.0

/// @file
/// A number as a product of a given number of factors, the largest first.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace espalier::mapping {

/// Ascending; n >= 1.
[[nodiscard]] std::vector<int> divisors(int n);

/// Visits products whose order does not matter: 12 in three factors is 3 2 2, 4 3 1, 6 2 1, 12 1 1.
class DescendingFactors {
public:
  /// n >= 1, num_factors >= 0.
  DescendingFactors(int n, int num_factors)
      : n_(n), num_factors_(num_factors), divisors_(divisors(n)) {}

  /// @param is_hopeless (factors so far, what the others multiply to): true to go no further.
  /// @param visit all factors.
  template <typename IsHopeless, typename Visit>
  void for_each(IsHopeless is_hopeless, Visit visit) const {
    std::vector<int> chosen;
    chosen.reserve(static_cast<std::size_t>(num_factors_));
    choose(chosen, n_, n_, is_hopeless, visit);
  }

private:
  template <typename IsHopeless, typename Visit>
  void choose(std::vector<int>& chosen, int rest, int last, IsHopeless& is_hopeless, Visit& visit)
      const {
    int const num_left = num_factors_ - static_cast<int>(chosen.size());
    if (num_left == 0) {
      if (rest == 1) {
        visit(chosen);
      }
      return;
    }
    // The largest of the factors left is not less than their mean.
    int const least = static_cast<int>(std::ceil(std::pow(rest, 1.0 / num_left) * (1 - 1e-9)));
    for (auto factor = std::ranges::lower_bound(divisors_, num_left == 1 ? rest : least);
         factor != divisors_.end() && *factor <= std::min(rest, last);
         ++factor) {
      if (rest % *factor == 0) {
        chosen.push_back(*factor);
        if (!is_hopeless(chosen, rest / *factor)) {
          choose(chosen, rest / *factor, *factor, is_hopeless, visit);
        }
        chosen.pop_back();
      }
    }
  }

  int n_;
  int num_factors_;
  std::vector<int> divisors_;
};

}  // namespace espalier::mapping
