// SPDX-License-Identifier: Apache-2.0

/// @file
/// What all measuring programs do around measuring: start, read a plan, end all ranks together.

#pragma once

#include <string>

#include "espalier/measure/common/job.hpp"
#include "espalier/measure/common/plan_and_output.hpp"

namespace espalier::measure {

/// Runs a measuring program: starts MPI, hands the job and the command line over, and ends MPI. A
/// wrong command line and whatever `measure` throws, on one rank or on all, become a line
/// `<name>: ...` and the end of all ranks, with 1 as what the launcher returns.
/// @return what main() returns.
int run_program(
    int argc, char** argv, char const* name, void (*measure)(Job const&, PlanAndOutput const&)
);

/// Collective over the job: the plan, checked by rank 0, so that complaints come from there only.
/// @throws Error io, format, mpi
template <typename Plan> Plan shared_plan(Job const& job, PlanAndOutput const& options) {
  std::string text;
  if (job.rank == 0) {
    text = options.read_plan();
    static_cast<void>(Plan::parse(text, options.plan));
  }
  return Plan::parse(from_rank_0(job, text), options.plan);
}

}  // namespace espalier::measure
