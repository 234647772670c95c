// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/private_comm.hpp"

#include <chrono>

#include "espalier/mpi/own_communicator.hpp"
#include "espalier/plan/clock.hpp"

namespace espalier::plan {

// Not MPI_Comm_dup: that would call the copy functions of the user's attributes, and hand over
// hints and topologies that mean nothing here.
int make_private_comm(MPI_Comm user, MPI_Comm& made) noexcept {
  MPI_Group group = MPI_GROUP_NULL;
  int code = PMPI_Comm_group(user, &group);
  if (code != MPI_SUCCESS) {
    return code;
  }
  code = PMPI_Comm_create(user, group, &made);
  PMPI_Group_free(&group);
  if (code == MPI_SUCCESS) {
    code = PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    PMPI_Comm_set_name(made, mpi::own_name);
  }
  return code;
}

int make_private_comm(MPI_Comm user, MPI_Comm& made, OwnCommunicators& total) noexcept {
  Clock::time_point const start = Clock::now();
  int const code = make_private_comm(user, made);
  if (code == MPI_SUCCESS) {
    std::chrono::duration<double> const elapsed = Clock::now() - start;
    total.add({.count = 1, .seconds = elapsed.count()});
  }
  return code;
}

}  // namespace espalier::plan
