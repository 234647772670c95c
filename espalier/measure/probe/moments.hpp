// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
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

/// Quantile 0.975 of Student's distribution, for the two-sided 95 % interval; off by 0.13 % at
/// most (at 3 degrees of freedom).
/// @param degrees_of_freedom at least 1
[[nodiscard]] double student_quantile(std::size_t degrees_of_freedom) noexcept;

}  // namespace espalier::measure::probe
