// SPDX-License-Identifier: Apache-2.0

#include <simgrid/barrier.h>

#include <mpi.h>

#include "espalier/mpi/success.hpp"
#include "shim/surroundings.hpp"

namespace espalier::shim {

/// SMPI has no MPI_Comm_get_parent, and programs there spawn none.
void separate_spawned(plan::SettingsText&) {}

bool can_watch() noexcept {
  return false;
}

bool learns_unasked() noexcept {
  return false;
}

machine::ProcessorsOfRank processors() {
  return {};
}

bool reads_ahead() noexcept {
  return false;
}

bool may_rest() noexcept {
  return false;
}

bool counts_nodes() noexcept {
  return false;
}

/// Ranks live in one process, so an address means the same to all; waiting takes no message.
void start_together() {
  int rank = 0;
  int num_ranks = 1;
  mpi::require_success(PMPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  mpi::require_success(PMPI_Comm_size(MPI_COMM_WORLD, &num_ranks), "MPI_Comm_size");
  sg_bar_t barrier = rank == 0 ? sg_barrier_init(static_cast<unsigned>(num_ranks)) : nullptr;
  mpi::require_success(
      PMPI_Bcast(&barrier, sizeof barrier, MPI_BYTE, 0, MPI_COMM_WORLD), "MPI_Bcast"
  );
  if (sg_barrier_wait(barrier) != 0) {
    // One rank is told so, when all have come.
    sg_barrier_destroy(barrier);
  }
}

}  // namespace espalier::shim
