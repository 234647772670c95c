// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <bit>
#include <cstdint>

namespace espalier {

/// Quotient rounded up; a >= 0, b >= 1.
template <typename Integer> constexpr Integer ceil_div(Integer a, Integer b) noexcept {
  return a / b + (a % b != 0 ? 1 : 0);
}

/// a modulo n in 0 .. n-1, also for negative a; n >= 1.
constexpr int wrap(std::int64_t a, int n) noexcept {
  if (a >= 0 && a < n) {
    return static_cast<int>(a);  // the usual case, without a division
  }
  auto const remainder = static_cast<int>(a % n);
  return remainder < 0 ? remainder + n : remainder;
}

constexpr bool is_power_of_two(int n) noexcept {
  return n > 0 && std::has_single_bit(static_cast<unsigned>(n));
}

/// Largest e with 2^e <= n; n >= 1.
constexpr int floor_log2(int n) noexcept {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(n))) - 1;
}

/// Smallest e with 2^e >= n; n >= 1.
constexpr int ceil_log2(int n) noexcept {
  return n <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<unsigned>(n - 1)));
}

/// Smallest e with base^e >= n; n >= 1, base >= 2.
constexpr int ceil_log(int base, int n) noexcept {
  int exponent = 0;
  for (std::int64_t power = 1; power < n; power *= base) {
    ++exponent;
  }
  return exponent;
}

/// First element of part i of n elements cut into nearly equal parts (sizes differ by at most one).
constexpr std::int64_t part_begin(std::int64_t n, int num_parts, int i) noexcept {
  std::int64_t const small = n / num_parts;
  std::int64_t const larger = n % num_parts;
  return i * small + (i < larger ? i : larger);
}

/// Size of part i of the same cut; the larger parts come first.
constexpr std::int64_t part_size(std::int64_t n, int num_parts, int i) noexcept {
  return n / num_parts + (i < n % num_parts ? 1 : 0);
}

}  // namespace espalier
