// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include <mpi.h>

#include "espalier/plan/calls/without_data.hpp"
#include "espalier/plan/serve.hpp"
#include "espalier/plan/serve_neighbors.hpp"
#include "shim/lifecycle.hpp"
#include "shim/own_work.hpp"
#include "shim/watching.hpp"

namespace espalier::shim {

/// Tells the watch of calls, and lets calls of our own pass.
struct WatchingObserver : plan::Observer {
  static WatchedCall begin(
      plan::State* state, profile::Call call, profile::Decision const* decision, std::int64_t bytes
  ) noexcept {
    return {state, call, decision, bytes};
  }

  static WatchedCall begin(
      plan::State* state, plan::NeighborCall call, neighborhood::Algorithm const* algorithm
  ) noexcept {
    return {state, call, algorithm};
  }

  static shim::OwnWork own_work() noexcept { return {}; }
};

/// What a call does while a session is active. `native` makes the call of the MPI library. So it
/// does whatever the rules are where no rank has data. That is found out first, as nothing else is
/// to be done then, and MPI libraries return at once.
template <typename Call, typename Native>
int dispatch(Call const& call, MPI_Comm comm, Native&& native) {
  plan::Session* const session = active_session.load(std::memory_order_acquire);
  bool const has_nothing_to_do =
      session == nullptr || (plan::is_without_data(call) && !session->records());
  if (has_nothing_to_do || OwnWork::is_going_on()) {
    return std::forward<Native>(native)();
  }
  return plan::serve(*session, call, comm, WatchingObserver(), std::forward<Native>(native));
}

/// The same of a call that is started.
template <typename Call, typename Native>
int dispatch_start(Call const& call, MPI_Comm comm, MPI_Request* request, Native&& native) {
  plan::Session* const session =
      OwnWork::is_going_on() ? nullptr : active_session.load(std::memory_order_acquire);
  return session == nullptr
             ? std::forward<Native>(native)()
             : plan::serve_start(
                   *session, call, comm, request, WatchingObserver(), std::forward<Native>(native)
               );
}

/// The same of a call that is initialised, to be started later.
template <typename Call, typename Native>
int dispatch_init(Call const& call, MPI_Comm comm, MPI_Request* request, Native&& native) {
  plan::Session* const session =
      OwnWork::is_going_on() ? nullptr : active_session.load(std::memory_order_acquire);
  return session == nullptr
             ? std::forward<Native>(native)()
             : plan::serve_init(
                   *session, call, comm, request, WatchingObserver(), std::forward<Native>(native)
               );
}

}  // namespace espalier::shim
