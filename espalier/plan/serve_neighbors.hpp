// SPDX-License-Identifier: Apache-2.0

/// @file
/// What a neighborhood call does while a session is active, as in serve.hpp.

#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include <mpi.h>

#include "espalier/plan/clock.hpp"
#include "espalier/plan/communicators/open_requests.hpp"
#include "espalier/plan/communicators/planned_requests.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/neighbors/neighbor_bytes.hpp"
#include "espalier/plan/neighbors/neighbor_calls.hpp"
#include "espalier/plan/serve.hpp"
#include "espalier/plan/session_calls.hpp"

namespace espalier::plan {

/// Runs a neighborhood call that was decided. Of wrong arguments no other rank knows, so they are
/// an error here, not a native call.
template <AnyNeighborCall Call>
int run_neighbors(NeighborDecision const& decided, Call const& call, MPI_Comm comm) {
  profile::CallForm const function{.call = rule_call(Call::neighbor_call)};
  int const code = guard(function, [&] {
    Neighbors& neighbors = decided.state->neighbors();
    neighbors.prepare();
    int const wrong = misuse(call, neighbors.degrees());
    return wrong == MPI_SUCCESS ? neighbors.run(*decided.algorithm(), call)
                                : code_naming(function, wrong);
  });
  return code == MPI_SUCCESS ? code : raise(comm, code);
}

/// Starts one, in the same way. A rank that cannot leaves the messages of the others behind.
template <AnyNeighborCall Call>
int start_neighbors(
    Session& session,
    NeighborDecision const& decided,
    Call const& call,
    MPI_Comm comm,
    MPI_Request& request
) {
  State& state = *decided.state;
  NeighborForm const one{.call = Call::neighbor_call, .form = profile::Form::nonblocking};
  int const code = guard(rule_form(one), [&]() -> int {
    int const wrong = misuse(call, state.neighbors().degrees());
    if (wrong != MPI_SUCCESS) {
      return code_naming(rule_form(one), wrong);
    }
    session.start(decided, call, request);
    return MPI_SUCCESS;
  });
  if (code == MPI_SUCCESS) {
    return code;
  }
  state.communicator().leave_messages();
  return raise(comm, code);
}

template <AnyNeighborCall Call, typename Observing>
NeighborDecision
decide_neighbors(Session& session, Call const& call, MPI_Comm comm, Observing&& observer) {
  [[maybe_unused]] auto const own_work = observer.own_work();
  return session.decide(call, comm);
}

/// Counts a neighborhood call with what this rank sent.
template <AnyNeighborCall Call>
NeighborRecorder::Row& recorded_neighbors(
    NeighborDecision const& decided,
    profile::Form form,
    Call const& call,
    std::chrono::duration<double> elapsed
) {
  State::NeighborCalls& calls = decided.state->neighbor_calls();
  std::int64_t const bytes = sent_bytes(call, calls.destinations, decided.state->types());
  return calls.recorder.record(
      {.call = Call::neighbor_call, .form = form},
      decided.block_bytes,
      *decided.decision,
      {.count = 1, .bytes = bytes, .seconds = elapsed.count()}
  );
}

/// The same of one that is complete. One that could not be counted is no reason to fail.
template <AnyNeighborCall Call>
void record_neighbors(
    NeighborDecision const& decided, Call const& call, std::chrono::duration<double> elapsed
) noexcept {
  static_cast<void>(guard([&] {
    recorded_neighbors(decided, profile::Form::blocking, call, elapsed);
    return MPI_SUCCESS;
  }));
}

/// The same of one that was started, and of what follows until it is complete. It may be timed, for
/// what is learned of it.
template <AnyNeighborCall Call>
void record_neighbors_start(
    NeighborDecision const& decided,
    bool is_counted,
    MPI_Request request,
    Call const& call,
    std::chrono::duration<double> elapsed
) noexcept {
  static_cast<void>(guard([&] {
    std::shared_ptr<Completions> timed = decided.state->take_timed_start();
    std::shared_ptr<Completions> counts;
    if (is_counted) {
      counts = OpenRequests::counts_of(
          recorded_neighbors(decided, profile::Form::nonblocking, call, elapsed)
      );
    }
    if (timed != nullptr) {
      timed->add({.waiting_seconds = elapsed.count()});
    }
    if (counts != nullptr || timed != nullptr) {
      OpenRequests::add(request, std::move(counts), std::move(timed));
    }
    return MPI_SUCCESS;
  }));
}

/// A neighborhood call on `comm`, collective as the call.
/// @return as serve() of other calls
template <AnyNeighborCall Call, typename Observing, typename Native>
int serve(
    Session& session, Call const& call, MPI_Comm comm, Observing&& observer, Native&& native
) {
  NeighborDecision const decided = decide_neighbors(session, call, comm, observer);
  if (decided.code != MPI_SUCCESS) {
    return decided.code;
  }
  if (decided.state == nullptr) {
    return std::forward<Native>(native)();
  }
  bool const is_counted = session.records();
  bool const is_native = decided.algorithm() == nullptr;
  Clock::time_point const start = is_counted ? Clock::now() : Clock::time_point{};
  int code = MPI_SUCCESS;
  {
    auto watched = observer.begin(decided.state, Call::neighbor_call, decided.algorithm());
    if (is_native) {
      watched.hand_over();
      code = std::forward<Native>(native)();
    } else {
      [[maybe_unused]] auto const own_work = observer.own_work();
      code = run_neighbors(decided, call, comm);
    }
  }
  if (is_counted && code == MPI_SUCCESS) {
    record_neighbors(decided, call, Clock::now() - start);
  }
  return end_call(session, *decided.state, is_native, code, comm, observer);
}

/// Starts a nonblocking neighborhood call on `comm`. What decides is local.
/// @return as serve()
template <AnyNeighborCall Call, typename Observing, typename Native>
int serve_start(
    Session& session,
    Call const& call,
    MPI_Comm comm,
    MPI_Request* request,
    Observing&& /*observer*/,
    Native&& native
) {
  NeighborDecision const decided = session.decide_start(call, comm);
  if (decided.code != MPI_SUCCESS) {
    return decided.code;
  }
  if (decided.state == nullptr || request == nullptr) {
    return std::forward<Native>(native)();
  }
  bool const is_counted = session.records();
  bool const is_looked_at = is_counted || session.learns_of_starts();
  Clock::time_point const start = is_looked_at ? Clock::now() : Clock::time_point{};
  int const code = decided.algorithm() == nullptr
                       ? std::forward<Native>(native)()
                       : start_neighbors(session, decided, call, comm, *request);
  if (is_looked_at && code == MPI_SUCCESS) {
    record_neighbors_start(decided, is_counted, *request, call, Clock::now() - start);
  }
  return code;
}

/// From now on counts the starts of a persistent request, as count_starts() of other calls.
template <AnyNeighborCall Call>
void count_starts(
    Session& session,
    NeighborDecision const& decided,
    profile::Decision const& decision,
    Call const& call,
    MPI_Request request
) noexcept {
  static_cast<void>(guard([&] {
    State& state = *decided.state;
    Recorder::Row row{
        .call = rule_call(Call::neighbor_call),
        .size_class = size_class(decided.block_bytes),
        .decision = &decision,
    };
    PlannedRequests::count(
        request,
        {
            .communicator = state.alike(),
            .row = std::move(row),
            .bytes = sent_bytes(call, state.neighbor_calls().destinations, state.types()),
            .notes = &session.notes(),
        }
    );
    return MPI_SUCCESS;
  }));
}

}  // namespace espalier::plan
