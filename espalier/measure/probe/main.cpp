// SPDX-License-Identifier: Apache-2.0

/// @file
/// espalier-probe-<vendor>: times messages between the ranks it is started with, as a probe plan
/// says. Started by `espalier probe`; the formats are in python/espalier/schemas/.

#include <string>

#include "espalier/measure/common/clock.hpp"
#include "espalier/measure/common/job.hpp"
#include "espalier/measure/common/json_lines.hpp"
#include "espalier/measure/common/plan_and_output.hpp"
#include "espalier/measure/common/program.hpp"
#include "espalier/measure/probe/conductor.hpp"
#include "espalier/measure/probe/header.hpp"
#include "espalier/measure/probe/probe_plan.hpp"
#include "espalier/measure/probe/result_line.hpp"

namespace espalier::measure::probe {
namespace {

/// Text of the plan, checked.
std::string read_plan(PlanAndOutput const& options, int num_ranks) {
  std::string text = options.read_plan();
  ProbePlan::parse(text, options.plan).check_ranks(num_ranks, options.plan);
  return text;
}

/// Rank 0 reads alone, so that complaints come from one rank only.
void measure(Job const& job, PlanAndOutput const& options) {
  double const start = now_us();
  std::string const text = from_rank_0(job, job.rank == 0 ? read_plan(options, job.num_ranks) : "");
  ProbePlan const plan = ProbePlan::parse(text, "plan");
  std::string const header = header_line(job);
  Conductor conductor(job, plan);
  if (job.rank != 0) {
    conductor.follow();
    return;
  }
  JsonLines lines(options.output);
  lines.write(header);
  double const seconds_left = plan.seconds - (now_us() - start) * 1e-6;
  lines.write(end_line(conductor.conduct(lines, seconds_left)));
}

}  // namespace
}  // namespace espalier::measure::probe

int main(int argc, char** argv) {
  using namespace espalier::measure;
  return run_program(argc, argv, "espalier-probe", probe::measure);
}
