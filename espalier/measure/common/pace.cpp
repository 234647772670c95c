// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/pace.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::measure {
namespace {

/// What a sample may take so that it has whole rounds.
constexpr double most_us_in_rounds = 200.0;

}  // namespace

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

int calls_of_sample(Pace const& pace, double call_us, double clear_us) {
  double const calls = std::ceil(clear_us / std::max(call_us, clear_us / pace.most_calls));
  double const in_rounds = std::ceil(calls / pace.calls_of_round) * pace.calls_of_round;
  bool const is_short = in_rounds <= pace.most_calls && in_rounds * call_us <= most_us_in_rounds;
  return static_cast<int>(is_short ? in_rounds : calls);
}

std::vector<int> roots_of_round(std::vector<int> const& roots) {
  std::vector<int> round = roots;
  if (roots.size() > 1) {
    round.insert(round.end(), roots.size(), roots.front());
  }
  return round;
}

}  // namespace espalier::measure
