// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <utility>

#include <mpi.h>

#include "espalier/plan/failure.hpp"
#include "espalier/plan/neighbors/neighbor_calls.hpp"
#include "espalier/plan/session.hpp"
#include "shim/lifecycle.hpp"
#include "shim/own_work.hpp"
#include "shim/watching.hpp"

namespace espalier::shim {

inline plan::NeighborDecision
decide_neighbors(plan::Session& session, plan::NeighborCall call, MPI_Comm comm) noexcept {
  OwnWork const own_work;
  return session.decide(call, comm);
}

/// What was decided, made and run; none if nothing was decided: the native call is to be made. Of
/// wrong arguments no other rank knows, so they are an error here, not a native call.
template <plan::AnyNeighborCall Call>
std::optional<int>
run_neighbors(plan::NeighborDecision const& decided, Call const& call, MPI_Comm comm) {
  OwnWork const own_work;
  if (decided.neighbors == nullptr) {
    return std::nullopt;
  }
  int const code = plan::guard([&] {
    decided.neighbors->prepare();
    int const wrong = misuse(call, decided.neighbors->degrees());
    return wrong == MPI_SUCCESS ? decided.neighbors->run(*decided.algorithm, call) : wrong;
  });
  return code == MPI_SUCCESS ? code : plan::raise(comm, code);
}

/// What a neighborhood call does while a session is active. `native` makes the call of the MPI
/// library.
template <plan::AnyNeighborCall Call, typename Native>
int dispatch(Call const& call, MPI_Comm comm, Native&& native) {
  plan::Session* const session =
      OwnWork::is_going_on() ? nullptr : active_session.load(std::memory_order_acquire);
  if (session == nullptr) {
    return std::forward<Native>(native)();
  }
  plan::NeighborDecision const decided = decide_neighbors(*session, Call::neighbor_call, comm);
  if (decided.code != MPI_SUCCESS) {
    return decided.code;
  }
  WatchedCall watched(decided.state, Call::neighbor_call, decided.algorithm);
  if (std::optional<int> const code = run_neighbors(decided, call, comm)) {
    return *code;
  }
  watched.hand_over();
  return std::forward<Native>(native)();
}

}  // namespace espalier::shim
