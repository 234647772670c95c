// SPDX-License-Identifier: Apache-2.0

/// @file
/// MPICH has no function for this, but if it communicates with UCX it calls ucp_worker_progress()
/// in every turn of its progress engine, and finds the one here. With other devices nobody calls
/// it, and nonblocking collectives are native. So they are if threads may call MPI at the same
/// time: MPICH then holds a lock that it cannot take twice.

#include <atomic>
#include <dlfcn.h>
#include <string_view>

#include <link.h>

#include <mpi.h>

#include "espalier/plan/progress/progress.hpp"

namespace espalier::plan {
namespace {

using WorkerProgress = unsigned (*)(void*);

constinit std::atomic<Poll> followed{nullptr};
constinit std::atomic<bool> was_called{false};

int find_in_ucp(dl_phdr_info* info, std::size_t, void* found) {
  std::string_view const path(info->dlpi_name);
  if (path.substr(path.rfind('/') + 1).starts_with("libucp.")) {
    if (void* const library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD)) {
      *static_cast<void**>(found) = dlsym(library, "ucp_worker_progress");
      dlclose(library);
    }
  }
  return *static_cast<void**>(found) == nullptr ? 0 : 1;
}

/// The function of UCX, also of a library that was opened late.
WorkerProgress find_real() noexcept {
  void* address = dlsym(RTLD_NEXT, "ucp_worker_progress");
  if (address == nullptr) {
    dl_iterate_phdr(find_in_ucp, &address);
  }
  return reinterpret_cast<WorkerProgress>(address);
}

}  // namespace

unsigned worker_progress(void* worker) noexcept {
  static WorkerProgress const real = find_real();
  was_called.store(true, std::memory_order_relaxed);
  unsigned const num_events = real(worker);
  Poll const poll = followed.load(std::memory_order_relaxed);
  return poll == nullptr ? num_events : num_events + static_cast<unsigned>(poll());
}

bool can_follow_progress() noexcept {
  int level = MPI_THREAD_MULTIPLE;
  int is_there = 0;
  PMPI_Query_thread(&level);
  // On MPI_COMM_SELF it makes no progress.
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
  return level < MPI_THREAD_MULTIPLE && was_called.load(std::memory_order_relaxed);
}

// Below MPI_THREAD_MULTIPLE only it can be followed.
bool may_have_progress_thread() noexcept {
  return false;
}

void follow_progress(Poll poll) noexcept {
  followed.store(poll, std::memory_order_relaxed);
}

void leave_progress() noexcept {
  followed.store(nullptr, std::memory_order_relaxed);
}

}  // namespace espalier::plan

/// In place of that of UCX.
extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  return espalier::plan::worker_progress(worker);
}
