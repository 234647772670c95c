// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <utility>

#include <mpi.h>

#include "espalier/plan/failure.hpp"
#include "espalier/plan/neighbor_calls.hpp"
#include "espalier/plan/session.hpp"
#include "shim/lifecycle.hpp"
#include "shim/own_work.hpp"

namespace espalier::shim {

/// What was decided, made and run; none if the native call is to be made: nothing was decided, or
/// the arguments are wrong and the MPI library has to say so.
template <plan::AnyNeighborCall Call>
std::optional<int> run_neighbors(plan::Session& session, Call const& call, MPI_Comm comm) {
  OwnWork const own_work;
  plan::NeighborVerdict const verdict = session.decide(Call::neighbor_call, comm);
  if (verdict.code != MPI_SUCCESS) {
    return verdict.code;
  }
  if (verdict.neighbors == nullptr) {
    return std::nullopt;
  }
  bool is_wrong = false;
  int const code = plan::guard([&] {
    verdict.neighbors->prepare();
    is_wrong = misuse(call, verdict.neighbors->degrees()) != MPI_SUCCESS;
    return is_wrong ? MPI_SUCCESS : verdict.neighbors->run(*verdict.algorithm, call);
  });
  if (is_wrong) {
    return std::nullopt;
  }
  return code == MPI_SUCCESS ? code : plan::raise(comm, code);
}

/// What a neighborhood call does while a session is active. `native` makes the call of the MPI
/// library.
template <plan::AnyNeighborCall Call, typename Native>
int dispatch(Call const& call, MPI_Comm comm, Native&& native) {
  plan::Session* const session =
      OwnWork::is_going_on() ? nullptr : active_session.load(std::memory_order_acquire);
  std::optional<int> const code =
      session == nullptr ? std::nullopt : run_neighbors(*session, call, comm);
  return code ? *code : std::forward<Native>(native)();
}

}  // namespace espalier::shim
