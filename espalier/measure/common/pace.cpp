// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/pace.hpp"

#include <algorithm>

namespace espalier::measure {

Pace pace_of(MeasurementPlan const& plan, std::size_t point, double seconds_left) {
  double const share = seconds_left / static_cast<double>(plan.points.size() - point);
  return {
      .seed = plan.seed + point,
      .warmup = plan.warmup,
      .min_repetitions = plan.min_repetitions,
      .max_repetitions = plan.max_repetitions,
      .seconds = std::min(plan.seconds_per_point, share),
      .precision = plan.precision,
      .spread = plan.spread,
  };
}

}  // namespace espalier::measure
