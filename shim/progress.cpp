// SPDX-License-Identifier: Apache-2.0

#include "shim/progress.hpp"

#include <memory>
#include <string>
#include <system_error>

#include <mpi.h>

#include "espalier/base/environment.hpp"
#include "espalier/plan/progress/progress.hpp"
#include "espalier/plan/progress/progress_thread.hpp"
#include "shim/report.hpp"

namespace espalier::shim {
namespace {

/// Never destroyed: the process may end in any thread.
constinit plan::ProgressThread* progress_thread = nullptr;

}  // namespace

bool wants_all_threads() {
  return plan::may_have_progress_thread() && environment_variable("ESPALIER_PROGRESS") == "thread";
}

bool may_call_concurrently() noexcept {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

bool may_have_thread() noexcept {
  return plan::may_have_progress_thread() && may_call_concurrently();
}

void start_progress_thread(plan::Session const& session) {
  MPI_Comm const comm = session.comm_of_started();
  if (!session.settings().has_progress_thread || comm == MPI_COMM_NULL) {
    return;
  }
  int const rank = session.world().rank;
  if (!session.world().may_have_progress_thread) {
    if (rank == 0) {
      print_line(
          "ESPALIER_PROGRESS: expected the variable on all ranks and a library of Open MPI's "
          "family "
          "with MPI_THREAD_MULTIPLE, which it is not here; collectives move on in MPI calls only"
      );
    }
    return;
  }
  try {
    progress_thread = std::make_unique<plan::ProgressThread>(comm).release();
  } catch (std::system_error const& error) {
    print_line(
        "ESPALIER_PROGRESS: rank " + std::to_string(rank) + " has no thread: " + error.what() +
        "; its collectives move on in MPI calls only"
    );
  }
}

void stop_progress_thread() noexcept {
  if (progress_thread != nullptr) {
    progress_thread->stop();
  }
}

}  // namespace espalier::shim
