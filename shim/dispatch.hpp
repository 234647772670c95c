// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <utility>

#include <mpi.h>

#include "espalier/plan/clock.hpp"
#include "espalier/plan/communicator.hpp"
#include "espalier/plan/session.hpp"
#include "shim/lifecycle.hpp"
#include "shim/own_work.hpp"

namespace espalier::shim {

/// Runs the choice if there is one. What was not decided yet is decided here.
/// @return a refusal if there is none, or it turns out not to fit: the native call is to be made.
template <typename Call>
int run_choice(plan::Session& session, plan::Verdict& verdict, Call const& call, MPI_Comm comm) {
  if (verdict.is_irregular) [[unlikely]] {
    OwnWork const questions_to_the_library;
    plan::IrregularRun const run = session.run_irregular(*verdict.state, call, comm);
    verdict.decision = run.decision;
    verdict.bytes = run.bytes;
    return run.code;
  }
  return verdict.decision->choice
             ? verdict.state->communicator().run(*verdict.decision->choice, call)
             : plan::Communicator::refused;
}

/// Runs what was decided, with a clock around it.
template <typename Call, typename Native>
int execute_timed(
    plan::Session& session, plan::Verdict& verdict, Call const& call, MPI_Comm comm, Native&& native
) {
  plan::Clock::time_point const start = plan::Clock::now();
  int code = run_choice(session, verdict, call, comm);
  tune::Decision const* decision = verdict.decision;
  if (plan::Communicator::is_refusal(code)) {
    decision = decision->choice ? &session.after_refusal(code) : decision;
    code = std::forward<Native>(native)();
  }
  std::chrono::duration<double> const elapsed = plan::Clock::now() - start;
  if (decision == nullptr) {
    return code;
  }
  // A call that could not be counted is no reason to fail.
  static_cast<void>(plan::guard([&] {
    verdict.state->recorder()->record(Call::call, verdict.bytes, *decision, elapsed.count());
    return MPI_SUCCESS;
  }));
  return code;
}

/// What a call does while a session is active. `native` makes the call of the MPI library.
template <typename Call, typename Native>
int dispatch(Call const& call, MPI_Comm comm, Native&& native) {
  plan::Session* const session =
      OwnWork::is_going_on() ? nullptr : active_session.load(std::memory_order_acquire);
  plan::Verdict verdict = session == nullptr ? plan::Verdict{} : session->decide(call, comm);
  if (verdict.code != MPI_SUCCESS) {
    return verdict.code;
  }
  if (verdict.state == nullptr) {
    return std::forward<Native>(native)();
  }
  if (session->records()) {
    return execute_timed(*session, verdict, call, comm, std::forward<Native>(native));
  }
  int const code = run_choice(*session, verdict, call, comm);
  return plan::Communicator::is_refusal(code) ? std::forward<Native>(native)() : code;
}

}  // namespace espalier::shim
