// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/affordable.hpp"

#include <algorithm>
#include <numeric>

namespace espalier::measure {

std::vector<std::size_t> Affordable::of(std::span<double const> first_seconds) const {
  std::vector<std::size_t> left(first_seconds.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  if (left.empty()) {
    return left;
  }
  std::ranges::stable_sort(left, {}, [&](std::size_t i) { return first_seconds[i]; });
  double const longest_of_close = close * first_seconds[left.front()];
  double total = std::accumulate(first_seconds.begin(), first_seconds.end(), 0.0);
  for (std::size_t place = left.size(); place-- > 0 && calls_of_each * total > seconds;) {
    std::size_t const slowest = left[place];
    if (first_seconds[slowest] < longest_of_close) {
      break;
    }
    if (slowest >= num_kept) {
      total -= first_seconds[slowest];
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(place));
    }
  }
  std::ranges::sort(left);
  return left;
}

}  // namespace espalier::measure
