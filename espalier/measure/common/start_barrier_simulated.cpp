// SPDX-License-Identifier: Apache-2.0

#include <exception>

#include <simgrid/barrier.h>

#include "espalier/measure/common/own_collectives.hpp"
#include "espalier/measure/common/start_barrier.hpp"

namespace espalier::measure {
namespace {

/// Of this rank: each has its own copy of the program's variables.
int barrier_key() {
  static int const key = [] {
    int made = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &made, nullptr);
    return made;
  }();
  return key;
}

/// Collective: the simulator's barrier of a communicator. All ranks live in one process, so an
/// address means the same to all; the barrier lives as long as the simulation.
sg_bar_t make_barrier(MPI_Comm comm) {
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  sg_bar_t barrier = rank == 0 ? sg_barrier_init(static_cast<unsigned>(size)) : nullptr;
  broadcast(&barrier, sizeof barrier, 0, comm);
  PMPI_Comm_set_attr(comm, barrier_key(), barrier);
  return barrier;
}

sg_bar_t barrier_of(MPI_Comm comm) {
  void* attribute = nullptr;
  int is_there = 0;
  PMPI_Comm_get_attr(comm, barrier_key(), static_cast<void*>(&attribute), &is_there);
  return is_there != 0 ? static_cast<sg_bar_t>(attribute) : make_barrier(comm);
}

}  // namespace

int start_barrier(MPI_Comm comm) noexcept {
  try {
    sg_barrier_wait(barrier_of(comm));
    return MPI_SUCCESS;
  } catch (std::exception const&) {
    return MPI_ERR_OTHER;
  }
}

}  // namespace espalier::measure
