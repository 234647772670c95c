// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/even_pace.hpp"

#include "espalier/measure/common/clock.hpp"

namespace espalier::measure {
namespace {

/// Half the width of an interval, relative, at which a point is done.
constexpr double wanted_precision = 0.01;

}  // namespace

Pace even_pace(Repetitions repetitions, std::size_t points_left, double seconds_left) {
  return {
      .seed = points_left,
      .warmup = is_simulated() ? 1 : 3,
      .min_repetitions = is_simulated() ? 1 : repetitions.min,
      .max_repetitions = is_simulated() ? 1 : repetitions.max,
      .seconds = seconds_left / static_cast<double>(points_left),
      .precision = wanted_precision,
  };
}

}  // namespace espalier::measure
