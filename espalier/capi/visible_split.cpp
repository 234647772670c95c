// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/visible_split.hpp"

#include <dlfcn.h>

#include "espalier/mpi/success.hpp"

namespace espalier::capi {
namespace {

using Split = int (*)(MPI_Comm, int, int, MPI_Comm*);

/// References to MPI are those of PMPI and weak, so that processes may open this library before
/// MPI; where MPI was opened for its opener alone, nothing can stand before it.
Split split_of_programs() {
#ifdef SMPI_H
  return MPI_Comm_split;
#else
  void* const found = dlsym(RTLD_DEFAULT, "MPI_Comm_split");
  return found == nullptr ? PMPI_Comm_split : reinterpret_cast<Split>(found);
#endif
}

}  // namespace

MPI_Comm visible_split(mpi::OwnCommunicator const& own, int key) {
  MPI_Comm made = MPI_COMM_NULL;
  mpi::require_success(split_of_programs()(own.get(), 0, key, &made), "MPI_Comm_split");
  return made;
}

}  // namespace espalier::capi
