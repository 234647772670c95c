// SPDX-License-Identifier: Apache-2.0

#include "shim/completion.hpp"

#include <mpi.h>

#include "espalier/plan/communicators/started_calls.hpp"
#include "shim/forward.hpp"

namespace espalier::shim {

namespace {

/// Apart from what every call does, as its registers would have to be saved there.
[[gnu::noinline, gnu::cold]] int
wait_with_ours(int count, void* array_of_requests, void* array_of_statuses) {
  do {
    int is_complete = 0;
    int const code = PMPI_Testall(
        count,
        static_cast<MPI_Request*>(array_of_requests),
        &is_complete,
        static_cast<MPI_Status*>(array_of_statuses)
    );
    if (code != MPI_SUCCESS || is_complete != 0) {
      return code;
    }
  } while (plan::StartedCalls::is_any_incomplete());
  return forward.waitall(count, array_of_requests, array_of_statuses);
}

}  // namespace

int waitall(int count, void* array_of_requests, void* array_of_statuses) {
  return plan::StartedCalls::is_any_incomplete()
             ? wait_with_ours(count, array_of_requests, array_of_statuses)
             : forward.waitall(count, array_of_requests, array_of_statuses);
}

}  // namespace espalier::shim
