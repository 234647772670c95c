// SPDX-License-Identifier: Apache-2.0

/// @file
/// Open MPI calls functions that were registered in every turn of its progress engine. Its own
/// nonblocking collectives (libnbc) make progress in the same way.

#include <atomic>
#include <dlfcn.h>

#include "espalier/plan/progress/progress.hpp"

namespace espalier::plan {
namespace {

using Register = int (*)(int (*)());

/// Null if the library has no such function.
Register find(char const* name) noexcept {
  return reinterpret_cast<Register>(dlsym(RTLD_DEFAULT, name));
}

constinit std::atomic<Poll> registered{nullptr};

}  // namespace

bool can_follow_progress() noexcept {
  return find("opal_progress_register") != nullptr && find("opal_progress_unregister") != nullptr;
}

bool may_have_progress_thread() noexcept {
  return true;
}

void follow_progress(Poll poll) noexcept {
  Poll none = nullptr;
  if (registered.load(std::memory_order_relaxed) == nullptr &&
      registered.compare_exchange_strong(none, poll)) {
    find("opal_progress_register")(poll);
  }
}

void leave_progress() noexcept {
  if (Poll const poll = registered.exchange(nullptr)) {
    find("opal_progress_unregister")(poll);
  }
}

}  // namespace espalier::plan
