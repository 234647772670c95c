// SPDX-License-Identifier: Apache-2.0

/// @file
/// espalier-measure-<vendor>: times the candidates of a measurement plan on the ranks it is started
/// with. Started by `espalier tune`; the formats are in DESIGN.md.

#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/measure/clock.hpp"
#include "espalier/measure/contender.hpp"
#include "espalier/measure/job.hpp"
#include "espalier/measure/measurement_plan.hpp"
#include "espalier/measure/pace.hpp"
#include "espalier/measure/plan_and_output.hpp"
#include "espalier/measure/point.hpp"
#include "espalier/measure/sample_file.hpp"

namespace espalier::measure {
namespace {

/// Text of the plan, checked, so that complaints come from one rank only.
std::string read_plan(PlanAndOutput const& options) {
  std::string text = options.read_plan();
  static_cast<void>(MeasurementPlan::parse(text, options.plan));
  return text;
}

/// Measures point after point; rank 0 says when the time of the whole plan is over.
void measure(Job const& job, PlanAndOutput const& options) {
  auto const start = Clock::now();
  std::string const text = from_rank_0(job, job.rank == 0 ? read_plan(options) : "");
  MeasurementPlan const plan = MeasurementPlan::parse(text, options.plan);
  std::optional<SampleFile> file;
  if (job.rank == 0) {
    file.emplace(options.output);
    file->write_header(job, clock_resolution_us());
  }
  Contenders contenders(job);
  std::size_t index = 0;
  for (; index < plan.points.size(); ++index) {
    double const seconds_left = plan.seconds - seconds_since(start);
    if (from_rank_0(job, seconds_left > 0.0 ? 1 : 0) == 0) {
      break;
    }
    Place const place{.index = index, .request = &plan.points[index]};
    measure_point(
        job, place, pace_of(plan, index, seconds_left), contenders, file ? &*file : nullptr
    );
  }
  contenders.finish();
  if (file) {
    file->write_end(plan.points.size() - index);
  }
}

/// An error on one rank ends all: the others may be waiting for it.
[[noreturn]] void abandon(std::string_view text) {
  std::fprintf(stderr, "espalier-measure: %.*s\n", static_cast<int>(text.size()), text.data());
  PMPI_Abort(MPI_COMM_WORLD, 1);
  std::terminate();
}

}  // namespace
}  // namespace espalier::measure

int main(int argc, char** argv) {
  using namespace espalier::measure;
  PMPI_Init(&argc, &argv);
  try {
    Job job = Job::describe();
    auto const options = PlanAndOutput::parse(argc, argv);
    if (!options) {
      throw espalier::Error(espalier::ErrorCode::argument, std::string(PlanAndOutput::usage));
    }
    measure(job, *options);
    PMPI_Comm_free(&job.comm);
  } catch (std::exception const& error) {
    abandon(error.what());
  }
  PMPI_Finalize();
  return 0;
}
