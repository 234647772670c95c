// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <utility>

#include <mpi.h>

#include "espalier/plan/communicator.hpp"
#include "espalier/plan/session.hpp"
#include "shim/lifecycle.hpp"

namespace espalier::shim {

/// Runs what was decided.
template <typename Call, typename Native>
int execute(plan::Verdict const& verdict, Call const& call, Native&& native) {
  if (verdict.decision->choice) {
    int const code = verdict.state->communicator().run(*verdict.decision->choice, call);
    if (code != plan::Communicator::refused) {
      return code;
    }
  }
  return std::forward<Native>(native)();
}

/// The same with a clock around it.
template <typename Call, typename Native>
int execute_timed(plan::Verdict const& verdict, Call const& call, Native&& native) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point const start = Clock::now();
  int const code = execute(verdict, call, std::forward<Native>(native));
  std::chrono::duration<double> const elapsed = Clock::now() - start;
  // A call that could not be counted is no reason to fail.
  static_cast<void>(plan::guard([&] {
    verdict.state->recorder()->record(
        Call::call, verdict.bytes, *verdict.decision, elapsed.count()
    );
    return MPI_SUCCESS;
  }));
  return code;
}

/// What a call does while a session is active. `native` makes the call of the MPI library.
template <typename Call, typename Native>
int dispatch(Call const& call, MPI_Comm comm, Native&& native) {
  plan::Session* const session = active_session.load(std::memory_order_acquire);
  plan::Verdict const verdict = session == nullptr ? plan::Verdict{} : session->decide(call, comm);
  if (verdict.code != MPI_SUCCESS) {
    return verdict.code;
  }
  if (verdict.state == nullptr) {
    return std::forward<Native>(native)();
  }
  return session->records() ? execute_timed(verdict, call, std::forward<Native>(native))
                            : execute(verdict, call, std::forward<Native>(native));
}

}  // namespace espalier::shim
