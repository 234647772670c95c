// SPDX-License-Identifier: Apache-2.0

/// @file
/// espalier-measure-<vendor>: times the candidates of a measurement plan on the ranks it is started
/// with. Started by `espalier tune`; the formats are in DESIGN.md.

#include <cstddef>
#include <optional>

#include "espalier/measure/collectives/contender.hpp"
#include "espalier/measure/collectives/measurement_plan.hpp"
#include "espalier/measure/collectives/point.hpp"
#include "espalier/measure/collectives/sample_file.hpp"
#include "espalier/measure/common/clock.hpp"
#include "espalier/measure/common/job.hpp"
#include "espalier/measure/common/pace.hpp"
#include "espalier/measure/common/plan_and_output.hpp"
#include "espalier/measure/common/program.hpp"

namespace espalier::measure {
namespace {

/// Measures point after point; rank 0 says when the time of the whole plan is over.
void measure(Job const& job, PlanAndOutput const& options) {
  auto const start = Clock::now();
  auto const plan = shared_plan<MeasurementPlan>(job, options);
  std::optional<SampleFile> file;
  if (job.rank == 0) {
    file.emplace(options.output);
    file->write_header(job, clock_resolution_us());
  }
  Contenders contenders(job, plan.profiles);
  std::size_t index = 0;
  for (; index < plan.points.size(); ++index) {
    double const seconds_left = plan.seconds - seconds_since(start);
    if (from_rank_0(job, seconds_left > 0.0 ? 1 : 0) == 0) {
      break;
    }
    PlannedPoint const planned{.index = index, .request = &plan.points[index]};
    measure_point(
        job, planned, pace_of(plan, index, seconds_left), contenders, file ? &*file : nullptr
    );
  }
  contenders.finish();
  if (file) {
    file->write_end(plan.points.size() - index);
  }
}

}  // namespace
}  // namespace espalier::measure

int main(int argc, char** argv) {
  using namespace espalier::measure;
  return run_program(argc, argv, "espalier-measure", measure);
}
