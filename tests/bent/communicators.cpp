// SPDX-License-Identifier: Apache-2.0

#include "tests/bent/program.hpp"

namespace bent {
namespace {

void set_handler(MPI_Comm comm, bool is_counting) {
  MPI_Comm_set_errhandler(comm, is_counting ? counting_handler() : MPI_ERRORS_RETURN);
}

/// All ranks, all in reverse, or the even and the odd ones.
MPI_Comm any_ranks(Random& common) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm comm = MPI_COMM_NULL;
  switch (common.below(5)) {
  case 0:
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    break;
  case 1:
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
    break;
  case 2:
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
    break;
  default:
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  }
  return comm;
}

}  // namespace

Communicator make_communicator(Random& common) {
  Communicator made;
  made.handle = any_ranks(common);
  MPI_Comm_dup(made.handle, &made.shadow);
  set_handler(made.handle, common.chance(50));
  set_handler(made.shadow, false);
  MPI_Comm_rank(made.handle, &made.rank);
  MPI_Comm_size(made.handle, &made.size);
  return made;
}

Communicator duplicate(Step& step) {
  Communicator made = step.comm;
  MPI_Comm_dup(step.comm.handle, &made.handle);
  return made;
}

}  // namespace bent
