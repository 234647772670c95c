// SPDX-License-Identifier: Apache-2.0

#include "espalier/mpi/progress.hpp"

#include "espalier/mpi/unused_tag.hpp"

namespace espalier::mpi {

/// MPICH 4.0 does not go on in an MPI_Iprobe that finds a message, so this one finds none.
int make_progress(MPI_Comm comm) noexcept {
  int is_there = 0;
  return PMPI_Iprobe(MPI_ANY_SOURCE, unused_tag(), comm, &is_there, MPI_STATUS_IGNORE);
}

}  // namespace espalier::mpi
