// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/private_comm.hpp"

#include <chrono>

#include "espalier/mpi/own_communicator.hpp"
#include "espalier/mpi/same_ranks.hpp"
#include "espalier/plan/clock.hpp"

namespace espalier::plan {

int make_private_comm(MPI_Comm user, MPI_Comm& made) noexcept {
  int const code = mpi::make_same_ranks(user, made);
  if (code == MPI_SUCCESS) {
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
