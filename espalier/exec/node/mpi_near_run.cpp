// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/node/mpi_near_run.hpp"

#include "espalier/mpi/progress.hpp"

namespace espalier::exec::node {

void NearRun::wait_open(MPI_Comm comm, int request) noexcept {
  Request& waited = requests_[static_cast<std::size_t>(request)];
  Link& link = *links_[static_cast<std::size_t>(request)];
  bool const is_alone = group_->is_only_underway(link);
  Patience patience = this->patience();
  for (;;) {
    link.poll(waited);
    if (!waited.is_open) {
      return;
    }
    if (!is_alone) {
      group_->progress();
    }
    patience.pause([comm] { mpi::make_progress(comm); });
  }
}

int NearRun::wait_far(MPI_Comm comm, MPI_Request& request) noexcept {
  Patience patience = this->patience();
  for (;;) {
    int is_complete = 0;
    int const code = PMPI_Test(&request, &is_complete, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || is_complete != 0) {
      return code;
    }
    if (group_->is_idle()) {
      return PMPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    group_->progress();
    patience.pause([comm] { mpi::make_progress(comm); });
  }
}

void NearRun::abandon() noexcept {
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i].is_open) {
      links_[i]->abandon(requests_[i]);
    }
  }
}

}  // namespace espalier::exec::node
