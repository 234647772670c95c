// SPDX-License-Identifier: Apache-2.0

/// @file
/// The watch for hangs (ESPALIER_WATCH) in a preloaded program.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "espalier/plan/session.hpp"
#include "espalier/profile/decision.hpp"
#include "espalier/watch/call.hpp"
#include "espalier/watch/record.hpp"

namespace espalier::shim {

/// Where this rank says what it does; null if nobody watches.
extern constinit std::atomic<watch::Record*> watched_record;

inline bool is_watching() noexcept {
  return watched_record.load(std::memory_order_relaxed) != nullptr;
}

/// Collective over MPI_COMM_WORLD, if the settings ask for a watch; else nothing.
/// @throws Error mpi.
void start_watching(plan::Settings const& settings, plan::Session::World const& world);

/// Before MPI_Finalize, or before the process ends otherwise; harmless when repeated. Calls nothing
/// of MPI. Not for children of fork().
void stop_watching() noexcept;

/// While it lives, this thread is in a call; nothing if nobody watches.
class WatchedCall {
public:
  /// @param state of the communicator, null: the call is not watched.
  /// @param decision null: not known yet.
  WatchedCall(
      plan::State* state, profile::Call call, profile::Decision const* decision, std::int64_t bytes
  ) noexcept {
    if (is_watching()) [[unlikely]] {
      begin(state, {.function = profile::function_name(call), .bytes = bytes}, decision);
    }
  }

  /// @param algorithm null: the native call.
  WatchedCall(
      plan::State* state, plan::NeighborCall call, neighborhood::Algorithm const* algorithm
  ) noexcept {
    if (is_watching()) [[unlikely]] {
      begin(state, call, algorithm);
    }
  }

  /// The native call is made instead.
  void hand_over() noexcept {
    if (call_ != nullptr) [[unlikely]] {
      call_->hand_over();
    }
  }

private:
  void begin(plan::State* state, watch::What what, profile::Decision const* decision) noexcept;
  void begin(
      plan::State* state, plan::NeighborCall call, neighborhood::Algorithm const* algorithm
  ) noexcept;

  std::unique_ptr<watch::Call> call_;
};

}  // namespace espalier::shim
