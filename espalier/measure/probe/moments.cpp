// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/probe/moments.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "espalier/base/median.hpp"
#include "espalier/base/student.hpp"

namespace espalier::measure::probe {

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

}  // namespace espalier::measure::probe
