// SPDX-License-Identifier: Apache-2.0

/// @file
/// espalier-measure-<vendor>: times the candidates of a measurement plan on the ranks it is started
/// with. Started by `espalier tune`; the formats are in DESIGN.md.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "espalier/measure/collectives/contender.hpp"
#include "espalier/measure/collectives/measurement_plan.hpp"
#include "espalier/measure/collectives/native_algorithms.hpp"
#include "espalier/measure/collectives/point.hpp"
#include "espalier/measure/collectives/sample_file.hpp"
#include "espalier/measure/common/clock.hpp"
#include "espalier/measure/common/job.hpp"
#include "espalier/measure/common/own_collectives.hpp"
#include "espalier/measure/common/pace.hpp"
#include "espalier/measure/common/plan_and_output.hpp"
#include "espalier/measure/common/program.hpp"
#include "espalier/measure/common/teams.hpp"
#include "espalier/plan/native_algorithms/permission.hpp"
#include "espalier/plan/progress/progress.hpp"

namespace espalier::measure {
namespace {

/// The job as the file reports it: ranks and nodes of a communicator, processors of all ranks.
Job reported(Teams const& teams) {
  Job job = teams.own;
  job.max_ranks_per_node = teams.all.max_ranks_per_node;
  job.min_cpus_per_node = teams.all.min_cpus_per_node;
  return job;
}

/// What moves nonblocking calls on, if the plan has any. Collective over all ranks, as they have to
/// do the same.
Contenders::FollowProgress progress_for(Job const& job, MeasurementPlan const& plan) {
  bool const has_nonblocking = std::ranges::any_of(plan.points, [](PointRequest const& point) {
    return point.form == profile::Form::nonblocking;
  });
  if (!has_nonblocking) {
    return nullptr;
  }
  int can_follow = plan::can_follow_progress() ? 1 : 0;
  combine_for_all(&can_follow, 1, MPI_INT, MPI_MIN, job.comm);
  return can_follow != 0 ? plan::follow_progress : nullptr;
}

/// Measures point after point; the first rank says when the time of the whole plan is over.
void measure(Teams const& teams, MeasurementPlan const& plan, std::string const& output) {
  auto const start = Clock::now();
  std::optional<SampleFile> file;
  if (teams.all.rank == 0) {
    file.emplace(output);
    file->write_header(reported(teams), clock_resolution_us());
  }
  Contenders contenders(teams.own, plan.profiles, progress_for(teams.all, plan));
  std::size_t index = 0;
  for (; index < plan.points.size(); ++index) {
    double const seconds_left = plan.seconds - seconds_since(start);
    if (!is_time_left(teams.all, seconds_left)) {
      break;
    }
    PlannedPoint const planned{.index = index, .request = &plan.points[index]};
    Pace const pace = pace_of(plan, index, seconds_left);
    measure_point(teams, planned, pace, contenders, file ? &*file : nullptr);
  }
  plan::leave_progress();
  contenders.finish();
  if (file) {
    file->write_end(plan.points.size() - index);
  }
}

void measure_plan(Job const& job, PlanAndOutput const& options) {
  auto const plan = shared_plan<MeasurementPlan>(job, options);
  if (auto teams = Teams::split(job, plan.groups)) {
    measure(*teams, plan, options.output);
    teams->finish(job);
  }
}

}  // namespace
}  // namespace espalier::measure

int main(int argc, char** argv) {
  using namespace espalier::measure;
  if (argc == 3 && std::string_view(argv[1]) == "--native-algorithms") {
    return print_native_algorithms(argv[2]);
  }
  espalier::plan::permit_native_algorithms();
  return run_program(argc, argv, "espalier-measure", measure_plan);
}
