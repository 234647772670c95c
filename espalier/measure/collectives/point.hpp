// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>

#include "espalier/measure/collectives/contender.hpp"
#include "espalier/measure/collectives/measurement_plan.hpp"
#include "espalier/measure/collectives/sample_file.hpp"
#include "espalier/measure/common/teams.hpp"
#include "espalier/measure/common/timer.hpp"

namespace espalier::measure {

/// A point and its position in the plan.
struct PlannedPoint {
  std::size_t index;
  PointRequest const* request;
};

/// Collective: measures a point and writes it to `file` (rank 0; null elsewhere).
///
/// Nothing is timed before every contender, the native call among them, gave the right result: one
/// that does not makes an error line, and the point is left out.
/// @throws Error mpi, io
void measure_point(
    Teams const& teams,
    PlannedPoint const& planned,
    Pace const& pace,
    Contenders& contenders,
    SampleFile* file
);

}  // namespace espalier::measure
