// SPDX-License-Identifier: Apache-2.0

#include "espalier/mpi/large_counts.hpp"

#include <mpi.h>

namespace espalier::mpi {

bool has_large_counts() noexcept {
  int version = 0;
  int subversion = 0;
  return PMPI_Get_version(&version, &subversion) == MPI_SUCCESS && version >= 4;
}

}  // namespace espalier::mpi
