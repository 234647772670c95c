// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <utility>

#include <mpi.h>

#include "espalier/plan/clock.hpp"
#include "espalier/plan/communicators/communicator.hpp"
#include "espalier/plan/session.hpp"
#include "shim/lifecycle.hpp"
#include "shim/own_work.hpp"
#include "shim/watching.hpp"

namespace espalier::shim {

/// Runs the choice if there is one.
/// @return a refusal if there is none, or it turns out not to fit: the native call is to be made.
template <typename Call> int run_choice(plan::CallDecision const& decided, Call const& call) {
  return decided.decision->choice
             ? decided.state->communicator().run(*decided.decision->choice, call)
             : plan::Communicator::refused;
}

/// Counts a call that began at `start`. One that could not be counted is no reason to fail.
inline void record(
    plan::CallDecision const& decided,
    profile::Call call,
    profile::Decision const& decision,
    plan::Clock::time_point start
) noexcept {
  std::chrono::duration<double> const elapsed = plan::Clock::now() - start;
  static_cast<void>(plan::guard([&] {
    decided.state->recorder()->record(call, decided.bytes, decision, elapsed.count());
    return MPI_SUCCESS;
  }));
}

/// Runs what was decided, with a clock around it.
template <typename Call, typename Native>
int execute_timed(
    plan::Session const& session,
    plan::CallDecision const& decided,
    Call const& call,
    Native&& native
) {
  plan::Clock::time_point const start = plan::Clock::now();
  WatchedCall watched(decided.state, Call::call, decided.decision, decided.bytes);
  profile::Decision const* decision = decided.decision;
  int code = run_choice(decided, call);
  if (plan::Communicator::is_refusal(code)) {
    decision = decision->choice ? &session.after_refusal(code) : decision;
    watched.hand_over();
    code = std::forward<Native>(native)();
  }
  record(decided, Call::call, *decision, start);
  return code;
}

/// Decides and runs a call whose arguments are out of the ordinary on this rank. If it is counted,
/// it is without the time of the native call.
/// @return a refusal if the native call is to be made.
template <typename Call>
[[gnu::noinline, gnu::cold]] int
execute_irregular(plan::Session& session, plan::State& state, Call const& call, MPI_Comm comm) {
  plan::Clock::time_point const start = plan::Clock::now();
  WatchedCall const watched(&state, Call::call, nullptr, 0);
  OwnWork const questions_to_the_library;
  plan::IrregularRun const run = session.run_irregular(state, call, comm);
  if (run.decision != nullptr && session.records()) {
    bool const is_refused = plan::Communicator::is_refusal(run.code) && run.decision->choice;
    auto const& decision = is_refused ? session.after_refusal(run.code) : *run.decision;
    record({.state = &state, .bytes = run.bytes}, Call::call, decision, start);
  }
  return run.code;
}

/// What a call does while a session is active. `native` makes the call of the MPI library.
template <typename Call, typename Native>
int dispatch(Call const& call, MPI_Comm comm, Native&& native) {
  plan::Session* const session =
      OwnWork::is_going_on() ? nullptr : active_session.load(std::memory_order_acquire);
  plan::CallDecision const decided =
      session == nullptr ? plan::CallDecision{} : session->decide(call, comm);
  if (decided.code != MPI_SUCCESS) {
    return decided.code;
  }
  if (decided.state == nullptr) {
    return std::forward<Native>(native)();
  }
  if (decided.decision != nullptr && session->records()) {
    return execute_timed(*session, decided, call, std::forward<Native>(native));
  }
  int const code = decided.decision != nullptr
                       ? run_choice(decided, call)
                       : execute_irregular(*session, *decided.state, call, comm);
  return plan::Communicator::is_refusal(code) ? std::forward<Native>(native)() : code;
}

}  // namespace espalier::shim
