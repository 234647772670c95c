// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <string>
#include <unistd.h>

#include <mpi.h>

#include "espalier/mpi/success.hpp"
#include "shim/surroundings.hpp"

namespace espalier::shim {

void separate_spawned(plan::SettingsText& text) {
  MPI_Comm parent = MPI_COMM_NULL;
  mpi::require_success(PMPI_Comm_get_parent(&parent), "MPI_Comm_get_parent");
  if (parent != MPI_COMM_NULL && !text.statistics.empty()) {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    text.statistics += "/spawned-" + std::string(host.data()) + "-" + std::to_string(getpid());
  }
}

bool can_watch() noexcept {
  return true;
}

bool learns_unasked() noexcept {
  return true;
}

machine::ProcessorsOfRank processors() {
  return machine::processors_of_rank();
}

bool reads_ahead() noexcept {
  return true;
}

bool may_rest() noexcept {
  return true;
}

bool counts_nodes() noexcept {
  return true;
}

void start_together() {}

}  // namespace espalier::shim
