// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/measure/collectives/measurement_plan.hpp"

namespace espalier::measure {

/// When a point ends; the limits of a MeasurementPlan.
struct Pace {
  std::uint64_t seed = 1;
  int warmup = 3;
  int min_repetitions = 20;
  int max_repetitions = 200;
  double seconds = 0.5;
  double precision = 0.01;
  bool leaves_out_slow = false;
  bool spread = false;  ///< keep the fastest and the mean rank, too
  /// Calls in one sample at most. 1 where a root would run ahead of the others.
  int most_calls = 64;
  int calls_of_round = 1;  ///< that differ, and then begin again
};

/// The pace of a point: what it needs less than its share of the time, those after it may use.
[[nodiscard]] Pace pace_of(MeasurementPlan const& plan, std::size_t point, double seconds_left);

/// How many calls make a sample: so many that it takes `clear_us`, and whole rounds of them if a
/// round is short.
/// @param call_us  what one of them takes
[[nodiscard]] int calls_of_sample(Pace const& pace, double call_us, double clear_us);

/// The roots of the calls of a round. Where they take turns, no root can begin before it has the
/// message before. Where one is the root again and again, it runs ahead of its readers, or they run
/// ahead of it, if the algorithm lets them: calls follow each other in a pipeline. Programs do
/// both, and an algorithm may be good at one and bad at the other, so each is half of the calls.
/// @param roots  that take turns
[[nodiscard]] std::vector<int> roots_of_round(std::vector<int> const& roots);

}  // namespace espalier::measure
