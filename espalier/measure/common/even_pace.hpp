// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>

#include "espalier/measure/common/pace.hpp"

namespace espalier::measure {

/// How often a point is repeated where time is real.
struct Repetitions {
  int min = 0;
  int max = 0;
};

/// The pace of the next point where all that are left share the time evenly. Simulated times are
/// exact: there one repetition is enough.
[[nodiscard]] Pace even_pace(Repetitions repetitions, std::size_t points_left, double seconds_left);

}  // namespace espalier::measure
