// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/common/program.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <thread>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/measure/common/clock.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure {
namespace {

/// An error on one rank ends all: the others may be waiting for it.
[[noreturn]] void abandon_job() noexcept {
  if (is_simulated()) {
    // All ranks are in this process; after MPI_Abort the launcher would return 0.
    std::_Exit(1);
  }
  // MPICH's launcher hears of the end by another channel than that of the text, and leaves the
  // text behind if it has not read it by then: 3 of 40 ends said nothing.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  PMPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

PlanAndOutput options_of(Job const& job, int argc, char** argv) {
  std::optional<PlanAndOutput> const options = PlanAndOutput::parse(argc, argv);
  if (!options && job.rank == 0) {
    throw Error(ErrorCode::argument, std::string(PlanAndOutput::usage));
  }
  if (!options) {
    // Rank 0 ends the job.
    mpi::require_success(PMPI_Barrier(job.comm), "MPI_Barrier");
  }
  return options.value_or(PlanAndOutput{});
}

}  // namespace

int run_program(
    int argc, char** argv, char const* name, void (*measure)(Job const&, PlanAndOutput const&)
) {
  PMPI_Init(&argc, &argv);
  try {
    Job job = Job::describe();
    measure(job, options_of(job, argc, argv));
    job.finish();
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    abandon_job();
  }
  PMPI_Finalize();
  return 0;
}

}  // namespace espalier::measure
