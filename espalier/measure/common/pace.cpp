// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/pace.hpp"

#include <algorithm>

namespace espalier::measure {

Pace pace_of(MeasurementPlan const& plan, std::size_t point, double seconds_left) {
  double const weight = plan.points[point].weight;
  double weight_left = 0.0;
  for (std::size_t i = point; i < plan.points.size(); ++i) {
    weight_left += plan.points[i].weight;
  }
  double const share = seconds_left * weight / weight_left;
  return {
      .seed = plan.seed + point,
      .warmup = plan.warmup,
      .min_repetitions = plan.min_repetitions,
      .max_repetitions = plan.max_repetitions,
      .seconds = std::min(plan.seconds_per_point * weight, share),
      .precision = plan.precision,
      .leaves_out_slow = plan.leaves_out_slow,
      .spread = plan.spread,
  };
}

}  // namespace espalier::measure
