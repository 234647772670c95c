// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/orders/room.hpp"

#include <new>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::plan {

void make_room(
    mpi::OwnCommunicator const& own, std::function<void()> const& make, std::string const& wanted
) {
  int is_missing = 0;
  try {
    make();
  } catch (std::bad_alloc const&) {
    is_missing = 1;
  }
  mpi::require_success(
      PMPI_Allreduce(MPI_IN_PLACE, &is_missing, 1, MPI_INT, MPI_MAX, own.get()), "MPI_Allreduce"
  );
  if (is_missing != 0) {
    throw Error(ErrorCode::no_memory, "expected room for " + wanted);
  }
}

}  // namespace espalier::plan
