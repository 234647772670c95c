// SPDX-License-Identifier: Apache-2.0

#include "espalier/pattern/tree.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>

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

/// A run of ranks with what its leader needs to know in a contiguous k-ary tree.
struct KAryRun {
  int begin = 0;
  int size = 1;
  int ready = 0;  ///< round in which the leader may serve its first child
};

/// The runs below a run are numbered 0 .. k - 1 in rank order; of no size where it is too short.
KAryRun k_ary_part(int k, KAryRun const& run, int i) {
  std::int64_t const part = ceil_div(run.size, k);
  std::int64_t const begin = i == 0 ? 1 : std::min<std::int64_t>(run.size, i * part);
  std::int64_t const end = std::min<std::int64_t>(run.size, (i + 1) * part);
  auto const last = static_cast<int>((run.size - 1) / part);
  return {
      .begin = run.begin + static_cast<int>(begin),
      .size = static_cast<int>(end - begin),
      .ready = run.ready + last - i + 1,
  };
}

int contiguous_k_ary_rounds(int k, int p, std::map<int, int>& known) {
  if (p <= k || k == 1) {
    return p - 1;
  }
  if (auto const found = known.find(p); found != known.end()) {
    return found->second;
  }
  // All parts but two have the same size, and of these the one served last is slowest.
  int const part = ceil_div(p, k);
  int const last = (p - 1) / part;
  int rounds = last + 1 + contiguous_k_ary_rounds(k, part - 1, known);
  rounds = std::max(rounds, last + contiguous_k_ary_rounds(k, last > 1 ? part : p - part, known));
  known.emplace(p, rounds);
  return rounds;
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
  TreeNode node{.size = k_nomial_subtree_size(k, p, x)};
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
      auto const child = static_cast<int>(x + j * d);
      auto const size = static_cast<int>(std::min<std::int64_t>(d, p - child));
      node.children.push_back({.child = child, .round = round + j - 1, .size = size});
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

TreeNode contiguous_k_ary_node(int k, int p, int x) {
  TreeNode node;
  KAryRun run{.begin = 0, .size = p};
  if (k == 1) {
    run = {.begin = x, .size = p - x, .ready = x};
    node.parent = x - 1;
  }
  while (run.begin != x) {
    int const offset = x - run.begin;
    node.parent = run.begin;
    run = k_ary_part(k, run, offset / ceil_div(run.size, k));
  }
  node.parent_round = std::max(run.ready - 1, 0);
  node.size = run.size;
  for (int i = (run.size - 1) / ceil_div(run.size, k); i >= 0; --i) {
    KAryRun const child = k_ary_part(k, run, i);
    if (child.size > 0) {
      node.children.push_back({.child = child.begin, .round = child.ready - 1, .size = child.size});
    }
  }
  return node;
}

int contiguous_k_ary_rounds(int k, int p) {
  std::map<int, int> known;
  return contiguous_k_ary_rounds(k, p, known);
}

TreeNode fork_node(std::span<int const> extents, int x) {
  TreeNode node;
  int stride = std::accumulate(extents.begin(), extents.end(), 1, std::multiplies{});
  node.size = stride;
  // The way to x: along each dimension in turn, and a turn costs a round for the link ahead.
  int round = 0;
  for (int const extent : extents) {
    int const line = stride;
    stride /= extent;
    int const place = x % line / stride;
    if (place > 0) {
      node.parent = x - x % stride - stride;
      node.size = (extent - place) * stride;
      node.children.clear();
      round += place;
      node.parent_round = round - 1;
    }
    if (place + 1 < extent) {
      int const child = x - x % stride + stride;
      int const size = (extent - place - 1) * stride;
      node.children.push_back({.child = child, .round = round++, .size = size});
    }
  }
  return node;
}

int fork_rounds(std::span<int const> extents) noexcept {
  return std::accumulate(extents.begin(), extents.end(), 0, [](int sum, int extent) {
    return sum + extent - 1;
  });
}

}  // namespace espalier::pattern
