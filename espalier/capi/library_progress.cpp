// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/library_progress.hpp"

#include <mutex>

#include <mpi.h>

#include "espalier/mpi/attribute.hpp"
#include "espalier/plan/communicators/underway.hpp"
#include "espalier/plan/progress/progress.hpp"

namespace espalier::capi {
namespace {

/// MPI_Finalize deletes the attributes of MPI_COMM_SELF first.
int leave_with_mpi(MPI_Comm, int, void*, void*) noexcept {
  plan::leave_progress();
  return MPI_SUCCESS;
}

void follow() {
  if (!plan::can_follow_progress()) {
    return;
  }
  mpi::Attribute end(leave_with_mpi);
  end.set(MPI_COMM_SELF, nullptr);
  end.free();  // MPI keeps it until it is deleted.
  plan::follow_progress(plan::Underway::poll);
}

}  // namespace

void let_library_make_progress() {
  static std::once_flag followed;
  std::call_once(followed, follow);
}

}  // namespace espalier::capi
