// SPDX-License-Identifier: Apache-2.0

#include "espalier/mpi/same_ranks.hpp"

namespace espalier::mpi {

int make_same_ranks(MPI_Comm comm, MPI_Comm& made) noexcept {
  MPI_Group group = MPI_GROUP_NULL;
  if (int const code = PMPI_Comm_group(comm, &group); code != MPI_SUCCESS) {
    return code;
  }
  int code = PMPI_Comm_create(comm, group, &made);
  PMPI_Group_free(&group);
  if (code != MPI_SUCCESS) {
    return code;
  }
  code = PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  if (code != MPI_SUCCESS) {
    PMPI_Comm_free(&made);
  }
  return code;
}

}  // namespace espalier::mpi
