// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>

#include "benchmarks/reproduce/process-remapping/program/grid_file.hpp"
#include "benchmarks/reproduce/process-remapping/program/grid_plan.hpp"
#include "espalier/measure/common/job.hpp"
#include "espalier/measure/common/pace.hpp"
#include "espalier/plan/topologies/machine_text.hpp"

namespace espalier::measure {

/// A point of a plan and where its results go: null but on rank 0.
struct GridTask {
  std::size_t number;
  GridPoint const& point;
  GridFile* file;
};

/// Collective: makes the grid in all mappings, proves and times all ways on each, and seeks the
/// fastest mapping by trying if the point says so. What cannot be or is wrong makes an error line,
/// and is left out.
/// @throws Error mpi, io
void measure_grid_point(
    Job const& job, GridTask const& task, Pace const& pace, plan::MachineText const& machine
);

}  // namespace espalier::measure
