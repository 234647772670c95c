// SPDX-License-Identifier: Apache-2.0

/// @file
/// espalier-grid-<vendor>: times collectives along all dimensions of process grids, with the ranks
/// in several orders. `--plan` is a GridPlan.

#include <cstddef>
#include <optional>

#include "benchmarks/reproduce/process-remapping/program/grid_file.hpp"
#include "benchmarks/reproduce/process-remapping/program/grid_plan.hpp"
#include "benchmarks/reproduce/process-remapping/program/grid_point.hpp"
#include "espalier/capi/environment.hpp"
#include "espalier/measure/common/clock.hpp"
#include "espalier/measure/common/even_pace.hpp"
#include "espalier/measure/common/job.hpp"
#include "espalier/measure/common/plan_and_output.hpp"
#include "espalier/measure/common/program.hpp"

namespace espalier::measure {
namespace {

/// Point after point; rank 0 says when the time is over. @return how many are left.
std::size_t measure_points(Job const& job, GridPlan const& plan, GridFile* file) {
  plan::MachineText const machine = job.rank == 0 ? capi::described_machine() : plan::MachineText{};
  auto const start = Clock::now();
  for (std::size_t number = 0; number < plan.points.size(); ++number) {
    std::size_t const points_left = plan.points.size() - number;
    double const seconds_left = plan.seconds - seconds_since(start);
    if (!is_time_left(job, seconds_left)) {
      return points_left;
    }
    GridTask const task{.number = number, .point = plan.points[number], .file = file};
    Pace const pace = even_pace(
        {.min = plan.min_repetitions, .max = plan.max_repetitions}, points_left, seconds_left
    );
    measure_grid_point(job, task, pace, machine);
  }
  return 0;
}

void measure(Job const& job, PlanAndOutput const& options) {
  auto const plan = shared_plan<GridPlan>(job, options);
  std::optional<GridFile> file;
  if (job.rank == 0) {
    file.emplace(options.output);
    file->write_header(job, clock_resolution_us());
  }
  std::size_t const num_left = measure_points(job, plan, file ? &*file : nullptr);
  if (file) {
    file->write_end(num_left);
  }
}

}  // namespace
}  // namespace espalier::measure

int main(int argc, char** argv) {
  using namespace espalier::measure;
  return run_program(argc, argv, "espalier-grid", measure);
}
