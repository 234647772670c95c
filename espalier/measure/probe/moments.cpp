// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/probe/moments.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace espalier::measure::probe {
namespace {

double median_of(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) {
    return *middle;
  }
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

Moments moments_of(std::span<double const> values) {
  auto const n = static_cast<double>(values.size());
  double const mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double const squares =
      std::accumulate(values.begin(), values.end(), 0.0, [mean](double sum, double value) {
        return sum + (value - mean) * (value - mean);
      });
  double const sd = std::sqrt(squares / (n - 1));
  auto const [min, max] = std::ranges::minmax_element(values);
  return {
      .mean = mean,
      .sd = sd,
      .median = median_of({values.begin(), values.end()}),
      .min = *min,
      .max = *max,
      .half_width = student_quantile(values.size() - 1) * sd / std::sqrt(n),
  };
}

// From three degrees on: expansion in 1 / degrees around the normal quantile z, whose coefficients
// are polynomials in z [abramowitz1964, 26.7.5]; the first two have closed forms.
double student_quantile(std::size_t degrees_of_freedom) noexcept {
  constexpr double z = 1.959963984540054;
  constexpr double z2 = z * z;
  if (degrees_of_freedom == 1) {
    return 12.706204736432095;
  }
  if (degrees_of_freedom == 2) {
    return 4.302652729696142;
  }
  constexpr double first = z * (z2 + 1) / 4;
  constexpr double second = z * ((5 * z2 + 16) * z2 + 3) / 96;
  constexpr double third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  constexpr double fourth = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
  double const n = 1.0 / static_cast<double>(degrees_of_freedom);
  return z + n * (first + n * (second + n * (third + n * fourth)));
}

}  // namespace espalier::measure::probe
