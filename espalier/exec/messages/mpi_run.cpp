// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/messages/mpi_run.hpp"

namespace espalier::exec {

void MpiRun::abandon() noexcept {
  constexpr int num_tests = 1000;
  near.abandon();
  for (MPI_Request& request : requests) {
    if (request == MPI_REQUEST_NULL) {
      continue;
    }
    PMPI_Cancel(&request);
    int is_complete = 0;
    for (int i = 0; i < num_tests && is_complete == 0; ++i) {
      if (PMPI_Test(&request, &is_complete, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
        break;
      }
    }
    if (request != MPI_REQUEST_NULL) {
      PMPI_Request_free(&request);
    }
  }
}

}  // namespace espalier::exec
