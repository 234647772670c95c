// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/irregular/library.hpp"

#include "espalier/mpi/success.hpp"

namespace espalier::plan {

void Library::open() {
#ifndef ESPALIER_MPI_SIMULATED
  MPI_Group group = MPI_GROUP_NULL;
  mpi::require_success(PMPI_Comm_group(MPI_COMM_SELF, &group), "MPI_Comm_group");
  int const code = PMPI_Comm_create(MPI_COMM_SELF, group, &self_);
  PMPI_Group_free(&group);
  mpi::require_success(code, "MPI_Comm_create");
  mpi::require_success(
      PMPI_Comm_set_errhandler(self_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler"
  );
#endif
}

void Library::close() noexcept {
  if (self_ != MPI_COMM_NULL) {
    PMPI_Comm_free(&self_);
  }
}

bool is_committed(MPI_Datatype type, MPI_Comm self) noexcept {
  char nothing = 0;
  int position = 0;
  return self == MPI_COMM_NULL ||
         PMPI_Pack(&nothing, 0, type, &nothing, sizeof nothing, &position, self) == MPI_SUCCESS;
}

}  // namespace espalier::plan
