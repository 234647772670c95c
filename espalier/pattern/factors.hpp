// SPDX-License-Identifier: Apache-2.0

/// @file
/// Numbers of ranks as products.

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace espalier::pattern {

/// The largest divisor of n up to k, then that of the rest, and so on; n is their product.
/// Empty for n = 1, and if a prime factor of n is larger than k; n >= 1, k >= 1.
[[nodiscard]] std::vector<int> divisors_up_to(int n, int k);

/// The two factors of n with the least difference, the larger first; n >= 1.
[[nodiscard]] std::pair<int, int> nearest_factors(int n);

/// 1 if there are none; a number above the largest int stands for any such. Factors >= 1.
[[nodiscard]] std::int64_t product(std::vector<int> const& factors);

}  // namespace espalier::pattern
