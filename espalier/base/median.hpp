// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace espalier {

/// The value in the middle, or the mean of both.
/// @param values at least one
[[nodiscard]] inline double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  std::size_t const middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace espalier
