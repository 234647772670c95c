// SPDX-License-Identifier: Apache-2.0

#include "espalier/pattern/tree.hpp"

#include <algorithm>
#include <cstdint>

#include "espalier/base/integer.hpp"

namespace espalier::pattern {
namespace {

std::int64_t power(int base, int exponent) {
  std::int64_t result = 1;
  for (int i = 0; i < exponent; ++i) {
    result *= base;
  }
  return result;
}

/// First round of the phase with distance k^exponent: only the first phase may be shorter than
/// k - 1 rounds, when p is not a power of k.
int first_round(int k, int p, int exponent) {
  int const phases = ceil_log(k, p);
  if (exponent == phases - 1) {
    return 0;
  }
  auto const rounds_of_first = static_cast<int>((p - 1) / power(k, phases - 1));
  return rounds_of_first + (phases - 2 - exponent) * (k - 1);
}

/// Largest sum of base-k digits of any number in 0 .. n; k = 1 has the digit 0 only.
int largest_digit_sum(int k, std::int64_t n) {
  if (k == 1) {
    return 0;
  }
  int best = 0;
  int filled = 0;  // sum of the positions below, all at k - 1
  int best_below = 0;
  for (; n > 0; n /= k, filled += k - 1) {
    auto const digit = static_cast<int>(n % k);
    // Either keep this digit and what is best below it, or lower it and fill everything below.
    best = std::max(digit + best_below, digit > 0 ? digit - 1 + filled : 0);
    best_below = best;
  }
  return best;
}

/// Exponent of the lowest digit of x that is not 0; x >= 1.
int lowest_digit(int k, int x) {
  int exponent = 0;
  for (std::int64_t d = k; x % d == 0; d *= k) {
    ++exponent;
  }
  return exponent;
}

/// One more than the round in which x hears, 0 at the root: the sum of the child numbers, each
/// 1 .. k, on the way from the root.
int k_ary_depth(int k, int x) {
  if (k == 1) {
    return x;
  }
  int sum = 0;
  for (; x != 0; x = (x - 1) / k) {
    sum += (x - 1) % k + 1;
  }
  return sum;
}

}  // namespace

TreeNode k_nomial_node(int k, int p, int x) {
  TreeNode node;
  int exponent = ceil_log(k, p) - 1;
  if (x != 0) {
    int const lowest = lowest_digit(k, x);
    std::int64_t const d = power(k, lowest);
    auto const digit = static_cast<int>(x / d % k);
    node.parent = static_cast<int>(x - digit * d);
    node.parent_round = first_round(k, p, lowest) + digit - 1;
    exponent = lowest - 1;
  }
  for (; exponent >= 0; --exponent) {
    std::int64_t const d = power(k, exponent);
    int const round = first_round(k, p, exponent);
    for (int j = 1; j < k && x + j * d < p; ++j) {
      node.children.push_back({.child = static_cast<int>(x + j * d), .round = round + j - 1});
    }
  }
  return node;
}

int k_nomial_subtree_size(int k, int p, int x) {
  return x == 0 ? p : static_cast<int>(std::min<std::int64_t>(power(k, lowest_digit(k, x)), p - x));
}

int k_nomial_rounds(int k, int p) {
  // Phase -1 would come after the last one.
  return p == 1 ? 0 : first_round(k, p, -1);
}

TreeNode k_ary_node(int k, int p, int x) {
  TreeNode node;
  node.parent = x == 0 ? -1 : (x - 1) / k;
  int const begin = k_ary_depth(k, x);
  node.parent_round = std::max(begin - 1, 0);
  for (int j = 0; j < k; ++j) {
    std::int64_t const child = std::int64_t{x} * k + 1 + j;
    if (child >= p) {
      break;
    }
    node.children.push_back({.child = static_cast<int>(child), .round = begin + j});
  }
  return node;
}

int k_ary_rounds(int k, int p) {
  std::int64_t first_of_level = 0;
  int depth = 0;
  for (std::int64_t size = 1; first_of_level + size < p; size *= k) {
    first_of_level += size;
    ++depth;
  }
  // A rank hears in round (sum of its child numbers, each 1 .. k, on the way from the root).
  int const level_above = (depth - 1) * k;
  int const deepest = depth + largest_digit_sum(k, p - 1 - first_of_level);
  return std::max(depth == 0 ? 0 : level_above, deepest);
}

}  // namespace espalier::pattern
