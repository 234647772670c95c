// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/library_progress.hpp"

#include <atomic>
#include <mutex>

#include <mpi.h>

#include "espalier/mpi/attribute.hpp"
#include "espalier/plan/communicators/underway.hpp"
#include "espalier/plan/progress/progress.hpp"

namespace espalier::capi {
namespace {

constinit std::atomic<bool> is_decided{false};
constinit std::mutex deciding;

/// MPI_Finalize deletes the attributes of MPI_COMM_SELF first.
int leave_with_mpi(MPI_Comm, int, void*, void*) noexcept {
  plan::leave_progress();
  return MPI_SUCCESS;
}

void follow() {
  mpi::Attribute end(leave_with_mpi);
  end.set(MPI_COMM_SELF, nullptr);
  end.free();  // MPI keeps it until it is deleted.
  plan::follow_progress(plan::Underway::poll);
}

/// Programs that have sessions only have no MPI_COMM_SELF to hear of the end by.
[[gnu::noinline]] void decide() {
  std::lock_guard const lock(deciding);
  int is_world_there = 0;
  PMPI_Initialized(&is_world_there);
  if (is_decided.load(std::memory_order_relaxed) || is_world_there == 0) {
    return;
  }
  if (plan::can_follow_progress()) {
    follow();
  }
  is_decided.store(true, std::memory_order_release);
}

}  // namespace

void let_library_make_progress() {
  if (!is_decided.load(std::memory_order_acquire)) {
    decide();
  }
}

}  // namespace espalier::capi
