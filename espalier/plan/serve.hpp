// SPDX-License-Identifier: Apache-2.0

/// @file
/// What a call does while a session is active: decide, run, make the native call if there is no
/// choice or it is refused, and count all that. Preloaded programs and programs that measure come
/// through here alike, so that what is timed is what runs.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include <mpi.h>

#include "espalier/algorithms/composed/native.hpp"
#include "espalier/neighborhood/algorithm.hpp"
#include "espalier/plan/calls/manner_of.hpp"
#include "espalier/plan/calls/own_bytes.hpp"
#include "espalier/plan/calls/own_parts.hpp"
#include "espalier/plan/clock.hpp"
#include "espalier/plan/communicators/communicator.hpp"
#include "espalier/plan/communicators/open_requests.hpp"
#include "espalier/plan/communicators/planned_requests.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/neighbors/neighbor_name.hpp"
#include "espalier/plan/session_calls.hpp"
#include "espalier/plan/settings/recorder.hpp"
#include "espalier/profile/decision.hpp"

namespace espalier::plan {

/// Learns what becomes of calls; this one does not care. Others have the same members, which are
/// inlined and cost nothing where they do nothing.
struct Observer {
  /// Lives as long as the call is served.
  struct Served {
    /// The native call is made instead.
    void hand_over() const noexcept {}
  };

  /// Lives while the session makes calls of its own on this thread.
  struct OwnWork {};

  /// @param decision null: not known yet.
  static Served
  begin(State*, profile::Call, profile::Decision const* /*decision*/, std::int64_t /*bytes*/) {
    return {};
  }

  /// @param algorithm null: the native call.
  static Served begin(State*, NeighborCall, neighborhood::Algorithm const* /*algorithm*/) {
    return {};
  }

  static OwnWork own_work() { return {}; }

  /// Of a collective that is no neighborhood's, if the session had a say in it.
  /// @param code as of Communicator::run() or start(), a refusal if there is no choice.
  static void ran(profile::Decision const* /*decision*/, int /*code*/) {}
};

/// Runs the choice if there is one. What the MPI library is asked to run is work of our own, which
/// must not be served again.
/// @return a refusal if there is none, or it turns out not to fit: the native call is to be made.
template <typename Call, typename Observing>
int run_choice(CallDecision const& decided, Call const& call, Observing&& observer) {
  auto const& choice = decided.decision->choice;
  if (!choice) {
    return Communicator::refused;
  }
  if (algorithms::is_of_library(*choice)) {
    [[maybe_unused]] auto const own_work = observer.own_work();
    return decided.state->communicator().run(*choice, call);
  }
  return decided.state->communicator().run(*choice, call);
}

/// What a call is counted with.
struct Counted {
  Recorder* recorder;
  std::int64_t bytes;  ///< of the result, as rules have it
  profile::Decision const* decision;
  std::chrono::duration<double> elapsed;
};

/// Counts a call.
template <typename Call> Recorder::Row& recorded(Counted counted, State& state, Call const& call) {
  std::int64_t const own = own_bytes(call, state.facts(), state.types());
  Recorder::Row& row = counted.recorder->record(
      Call::call, counted.bytes, *counted.decision, counted.elapsed.count(), manner_of(call), own
  );
  if constexpr (has_own_parts<Call>) {
    note_parts(call, state.facts(), state.types(), row);
  }
  return row;
}

/// The same of one that is complete. One that could not be counted is no reason to fail.
template <typename Call> void record(Counted counted, State& state, Call const& call) noexcept {
  static_cast<void>(guard([&] {
    recorded(counted, state, call);
    return MPI_SUCCESS;
  }));
}

/// The same of one that was started, and of what follows until it is complete.
/// @param request  null if the start failed
template <typename Call>
void record_start(
    Counted counted, State& state, Call const& call, MPI_Request const* request
) noexcept {
  static_cast<void>(guard([&] {
    Recorder::Row& row = recorded(counted, state, call);
    if (request != nullptr) {
      OpenRequests::add(*request, OpenRequests::counts_of(row));
    }
    return MPI_SUCCESS;
  }));
}

/// The same of one that may be timed, for what is learned of it. Apart, as counting has a price.
/// @param counted  its recorder is null if it is not counted, and its decision if that is not known
template <typename Call>
[[gnu::noinline]] void record_learned_start(
    Counted counted, State& state, Call const& call, MPI_Request const* request
) noexcept {
  static_cast<void>(guard([&] {
    std::shared_ptr<Completions> timed = state.take_timed_start();
    std::shared_ptr<Completions> counts;
    if (counted.recorder != nullptr && counted.decision != nullptr) {
      counts = OpenRequests::counts_of(recorded(counted, state, call));
    }
    if (request == nullptr || (counts == nullptr && timed == nullptr)) {
      return MPI_SUCCESS;
    }
    if (timed != nullptr) {
      timed->add({.waiting_seconds = counted.elapsed.count()});
    }
    OpenRequests::add(*request, std::move(counts), std::move(timed));
    return MPI_SUCCESS;
  }));
}

/// Counts a call whose arguments are out of the ordinary on this rank.
template <typename Call> void record_irregular(Counted counted, Call const& call) noexcept {
  static_cast<void>(guard([&] {
    counted.recorder->record(
        Call::call, counted.bytes, *counted.decision, counted.elapsed.count(), manner_of(call)
    );
    return MPI_SUCCESS;
  }));
}

/// After a call: ends the trial that it may have been.
template <typename Observing>
int end_call(
    Session& session, State& state, bool is_native, int code, MPI_Comm comm, Observing&& observer
) {
  if (!session.learns()) [[likely]] {
    return code;
  }
  [[maybe_unused]] auto const own_work = observer.own_work();
  return session.end_trial(state, is_native, code, comm);
}

/// Runs what was decided, with a clock around it.
template <typename Call, typename Observing, typename Native>
int serve_timed(
    Session& session,
    CallDecision const& decided,
    Call const& call,
    MPI_Comm comm,
    Observing&& observer,
    Native&& native
) {
  Clock::time_point const start = Clock::now();
  auto watched = observer.begin(decided.state, Call::call, decided.decision, decided.bytes);
  int code = run_choice(decided, call, observer);
  observer.ran(decided.decision, code);
  profile::Decision const& decision = session.carried_out(*decided.decision, code);
  bool const is_native = Communicator::is_refusal(code);
  if (is_native) {
    watched.hand_over();
    code = std::forward<Native>(native)();
  }
  std::chrono::duration<double> const elapsed = Clock::now() - start;
  record({decided.state->recorder(), decided.bytes, &decision, elapsed}, *decided.state, call);
  return end_call(session, *decided.state, is_native, code, comm, observer);
}

/// Decides and runs a call whose arguments are out of the ordinary on this rank. If it is counted,
/// it is without the time of the native call.
/// @return a refusal if the native call is to be made.
template <typename Call, typename Observing>
[[gnu::noinline, gnu::cold]] int serve_irregular(
    Session& session, State& state, Call const& call, MPI_Comm comm, Observing&& observer
) {
  Clock::time_point const start = Clock::now();
  [[maybe_unused]] auto const watched = observer.begin(&state, Call::call, nullptr, 0);
  [[maybe_unused]] auto const questions_to_the_library = observer.own_work();
  IrregularRun const run = session.run_irregular(state, call, comm);
  observer.ran(run.decision, run.code);
  if (run.decision != nullptr && session.records()) {
    profile::Decision const& decision = session.carried_out(*run.decision, run.code);
    record_irregular({state.recorder(), run.bytes, &decision, Clock::now() - start}, call);
  }
  return run.code;
}

/// A call that came before with these very arguments, and what was found out then still holds.
struct Remembered {
  State* state = nullptr;
  RepeatedCall const* call = nullptr;  ///< null: there is none
};

/// Finds such a call. Where something is learned of these calls, it is counted if it is found, as
/// all of them are. The contest says on all ranks alike whether it is to be served as before: where
/// a rank does not remember the call, it says the same to Session::decide(). Inlined, and used
/// before a call has to be in memory: arguments are compared in the registers in which they came.
template <typename Call>
[[gnu::always_inline]] inline Remembered
remembered(Session const& session, Call const& call, MPI_Comm comm) noexcept {
  if constexpr (is_all_in_words<Call>) {
    if (session.remembers(Call::call)) {
      State* const state = session.recent(comm);
      RepeatedCall const* const known =
          state == nullptr ? nullptr : state->communicator().repeated(words_of(call));
      bool const is_served_alike =
          known != nullptr && (known->contest == nullptr || known->contest->pass(*known->decision));
      return is_served_alike ? Remembered{state, known} : Remembered{};
    }
  }
  return {};
}

/// Serves it as before.
template <typename Observing, typename Native>
[[gnu::always_inline]] inline int
serve_again(Remembered const& known, Observing&& observer, Native&& native) {
  profile::Decision const* const decision = known.call->decision;
  if (known.call->executor == nullptr) {
    observer.ran(decision, Communicator::refused);
    return std::forward<Native>(native)();
  }
  int const code = known.state->communicator().run_again(*known.call);
  observer.ran(decision, code);
  return code;
}

/// Remembers a call that was served, or is native for ever.
template <typename Call>
void remember(Session const& session, CallDecision const& decided, Call const& call, int code) {
  if constexpr (is_all_in_words<Call>) {
    bool const is_over = code == MPI_SUCCESS || !decided.decision->choice;
    if (is_over && session.remembers(Call::call)) {
      State& state = *decided.state;
      state.communicator().remember(call, *decided.decision, state.trial().contest, state.types());
    }
  }
}

/// Decides for a call, for which ranks may have to agree on something first.
template <typename Call, typename Observing>
[[gnu::noinline]] CallDecision
decide_together(Session& session, Call const& call, MPI_Comm comm, Observing&& observer) {
  [[maybe_unused]] auto const watched =
      observer.begin(session.recent(comm), Call::call, nullptr, 0);
  [[maybe_unused]] auto const own_work = observer.own_work();
  return session.decide(call, comm);
}

/// Decides for a call. Apart from others where the first trial needs a context, or sizes stay of
/// which not all ranks know.
template <typename Call, typename Observing>
[[gnu::always_inline]] inline CallDecision
decide(Session& session, Call const& call, MPI_Comm comm, Observing&& observer) {
  bool asks_ranks = session.learns();
  if constexpr (profile::has_agreed_sizes(Call::call)) {
    asks_ranks = asks_ranks || session.has_promises();
  }
  return asks_ranks ? decide_together(session, call, comm, observer) : session.decide(call, comm);
}

/// A call that is not remembered(). The rest is as in serve().
template <typename Call, typename Observing, typename Native>
int serve_anew(
    Session& session, Call const& call, MPI_Comm comm, Observing&& observer, Native&& native
) {
  CallDecision const decided = decide(session, call, comm, observer);
  if (decided.code != MPI_SUCCESS) {
    return decided.code;
  }
  if (decided.state == nullptr) {
    return std::forward<Native>(native)();
  }
  if (decided.decision != nullptr && session.records()) {
    return serve_timed(session, decided, call, comm, observer, std::forward<Native>(native));
  }
  int code = 0;
  if (decided.decision != nullptr) {
    code = run_choice(decided, call, observer);
    observer.ran(decided.decision, code);
    remember(session, decided, call, code);
  } else {
    code = serve_irregular(session, *decided.state, call, comm, observer);
  }
  bool const is_native = Communicator::is_refusal(code);
  code = is_native ? std::forward<Native>(native)() : code;
  return end_call(session, *decided.state, is_native, code, comm, observer);
}

/// A call on `comm`, collective as the call. `native` makes the call of the MPI library.
/// @return the code for the program; errors of ours were delivered to the error handler.
template <typename Call, typename Observing, typename Native>
[[gnu::always_inline]] inline int
serve(Session& session, Call const& call, MPI_Comm comm, Observing&& observer, Native&& native) {
  Remembered const known = remembered(session, call, comm);
  if (known.call != nullptr) [[likely]] {
    return serve_again(known, observer, std::forward<Native>(native));
  }
  Call const own = call;  // Else every call would have to be put into memory first.
  return serve_anew(session, own, comm, observer, std::forward<Native>(native));
}

/// Starts a call whose arguments are out of the ordinary on this rank.
/// @return a refusal if the native call is to be made.
template <typename Call, typename Observing>
[[gnu::noinline, gnu::cold]] IrregularRun start_irregular(
    Session& session,
    State& state,
    Call const& call,
    MPI_Comm comm,
    MPI_Request& request,
    Observing&& observer
) {
  [[maybe_unused]] auto const questions_to_the_library = observer.own_work();
  return session.start_irregular(state, call, comm, request);
}

/// Starts a nonblocking call on `comm`. `native` makes the call of the MPI library.
/// @return as serve()
template <typename Call, typename Observing, typename Native>
int serve_start(
    Session& session,
    Call const& call,
    MPI_Comm comm,
    MPI_Request* request,
    Observing&& observer,
    Native&& native
) {
  CallDecision decided = session.decide_start(call, comm);
  if (decided.code != MPI_SUCCESS) {
    return decided.code;
  }
  if (decided.state == nullptr || request == nullptr) {
    return std::forward<Native>(native)();
  }
  bool const learns = session.learns_of_starts();
  Clock::time_point const start = session.records() || learns ? Clock::now() : Clock::time_point{};
  int code = Communicator::refused;
  if (decided.decision != nullptr) {
    code = session.start(decided, call, *request);
  } else {
    IrregularRun const run =
        start_irregular(session, *decided.state, call, comm, *request, observer);
    decided.decision = run.decision;
    decided.bytes = run.bytes;
    code = run.code;
  }
  observer.ran(decided.decision, code);
  profile::Decision const* const decision =
      decided.decision == nullptr ? nullptr : &session.carried_out(*decided.decision, code);
  if (Communicator::is_refusal(code)) {
    if (decision != decided.decision) {
      decided.state->time_start(nullptr);  // not what was to be timed
    }
    code = std::forward<Native>(native)();
  }
  MPI_Request const* const started = code == MPI_SUCCESS ? request : nullptr;
  if (learns) [[unlikely]] {
    Recorder* const recorder = session.records() ? &decided.state->recorder_of_started() : nullptr;
    Counted const counted{recorder, decided.bytes, decision, Clock::now() - start};
    record_learned_start(counted, *decided.state, call, started);
  } else if (session.records() && decision != nullptr) {
    record_start(
        {&decided.state->recorder_of_started(), decided.bytes, decision, Clock::now() - start},
        *decided.state,
        call,
        started
    );
  }
  return code;
}

/// From now on counts the starts of a persistent request. One that could not be counted is no
/// reason to fail.
template <typename Call>
void count_starts(
    Session& session,
    CallDecision const& decided,
    profile::Decision const& decision,
    Call const& call,
    MPI_Request request
) noexcept {
  static_cast<void>(guard([&] {
    State& state = *decided.state;
    bool const is_regular = decided.decision != nullptr;
    std::int64_t const own =
        is_regular ? own_bytes(call, state.facts(), state.types()) : std::int64_t{0};
    std::int64_t const bytes = profile::has_known_size(Call::call) ? decided.bytes : 0;
    Recorder::Row row{
        .call = Call::call,
        .size_class = size_class(bytes),
        .decision = &decision,
        .manner = manner_of(call),
    };
    PlannedRequests::count(
        request,
        {
            .communicator = state.alike(),
            .row = std::move(row),
            .bytes = bytes + own,
            .notes = &session.notes(),
        }
    );
    return MPI_SUCCESS;
  }));
}

/// Makes a persistent request of a call on `comm`, collective as the initialisation. `native` makes
/// one of the MPI library.
/// @return as serve()
template <typename Call, typename Observing, typename Native>
int serve_init(
    Session& session,
    Call const& call,
    MPI_Comm comm,
    MPI_Request* request,
    Observing&& observer,
    Native&& native
) {
  auto decided = session.decide_init(call, comm);
  if (decided.code != MPI_SUCCESS) {
    return decided.code;
  }
  if (decided.state == nullptr) {
    return std::forward<Native>(native)();
  }
  int code = Communicator::refused;
  {
    [[maybe_unused]] auto const own_work = observer.own_work();
    code = session.plan(decided, call, comm, request);
  }
  profile::Decision const& decision = decided.decision != nullptr
                                          ? session.carried_out(*decided.decision, code)
                                          : session.after_refusal(code);
  if (Communicator::is_refusal(code)) {
    code = std::forward<Native>(native)();
  }
  if (session.records() && code == MPI_SUCCESS) {
    count_starts(session, decided, decision, call, *request);
  }
  return code;
}

}  // namespace espalier::plan
