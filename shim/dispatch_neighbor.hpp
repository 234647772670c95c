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

inline plan::NeighborVerdict
decide_neighbors(plan::Session& session, plan::NeighborCall call, MPI_Comm comm) noexcept {
  OwnWork const own_work;
  return session.decide(call, comm);
}

/// What was decided, made and run; none if nothing was decided: the native call is to be made. Of
/// wrong arguments no other rank knows, so they are an error here, not a native call.
template <plan::AnyNeighborCall Call>
std::optional<int>
run_neighbors(plan::NeighborVerdict const& verdict, Call const& call, MPI_Comm comm) {
  OwnWork const own_work;
  if (verdict.neighbors == nullptr) {
    return std::nullopt;
  }
  int const code = plan::guard([&] {
    verdict.neighbors->prepare();
    int const wrong = misuse(call, verdict.neighbors->degrees());
    return wrong == MPI_SUCCESS ? verdict.neighbors->run(*verdict.algorithm, call) : wrong;
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
  plan::NeighborVerdict const verdict = decide_neighbors(*session, Call::neighbor_call, comm);
  if (verdict.code != MPI_SUCCESS) {
    return verdict.code;
  }
  WatchedCall watched(verdict.state, Call::neighbor_call, verdict.algorithm);
  if (std::optional<int> const code = run_neighbors(verdict, call, comm)) {
    return *code;
  }
  watched.hand_over();
  return std::forward<Native>(native)();
}

}  // namespace espalier::shim
