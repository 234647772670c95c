// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

namespace espalier::measure::probe {

/// What is told of a sample of times.
struct Moments {
  double mean = 0.0;
  double sd = 0.0;  ///< square root of the unbiased variance
  double median = 0.0;
  double min = 0.0;
  double max = 0.0;
  double half_width = 0.0;  ///< of the 95 % interval of the mean
};

/// @param values at least two
[[nodiscard]] Moments moments_of(std::span<double const> values);

}  // namespace espalier::measure::probe
