// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/planned/requests.hpp"

#include "espalier/capi/own_work.hpp"

namespace espalier::capi {

using plan::Underway;

ScheduledCollective::ScheduledCollective(PlannedParts parts, plan::BoundCall bound)
    : espalier_request(parts.algorithm), parts_(std::move(parts)), bound_(std::move(bound)),
      underway_(*bound_.executor) {}

ScheduledCollective::~ScheduledCollective() {
  if (bound_.executor->is_broken()) {
    parts_.seat.retire();
  }
}

// The communicator is there already: making it waits for other ranks.
NativeCollective::NativeCollective(PlannedParts parts)
    : espalier_request(parts.algorithm), parts_(std::move(parts)),
      comm_(parts_.seat.native_comm()) {}

int NativeCollective::start() {
  OwnWork const own_work;
  int const code = start_natively(comm_, request_);
  is_active_ = code == MPI_SUCCESS;
  return code;
}

int NativeCollective::look(bool& is_complete) noexcept {
  int is_done = 0;
  int const code = PMPI_Test(&request_, &is_done, MPI_STATUS_IGNORE);
  is_complete = is_done != 0;
  is_active_ = code == MPI_SUCCESS && !is_complete;
  return code;
}

int NativeCollective::test(bool& is_complete) {
  Underway::poll();
  is_complete = true;
  return is_active_ ? look(is_complete) : MPI_SUCCESS;
}

// While collectives of ours are underway, others may wait for what only we move on.
int NativeCollective::wait() {
  while (is_active_ && Underway::is_any()) {
    Underway::poll();
    bool is_complete = false;
    if (int const code = look(is_complete); code != MPI_SUCCESS) {
      return code;
    }
  }
  if (!is_active_) {
    return MPI_SUCCESS;
  }
  is_active_ = false;
  return PMPI_Wait(&request_, MPI_STATUS_IGNORE);
}

}  // namespace espalier::capi
