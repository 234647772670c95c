// SPDX-License-Identifier: Apache-2.0

/// @file
/// What a session does with each kind of call: the templates of Session, for those who make calls.

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <mpi.h>

#include "espalier/algorithms/composed/native.hpp"
#include "espalier/base/error.hpp"
#include "espalier/plan/calls/own_bytes.hpp"
#include "espalier/plan/communicators/agreed_sizes.hpp"
#include "espalier/plan/communicators/kept_sizes.hpp"
#include "espalier/plan/communicators/underway.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/irregular/mend.hpp"
#include "espalier/plan/neighbors/neighbor_bytes.hpp"
#include "espalier/plan/session.hpp"
#include "espalier/watch/beacon.hpp"

namespace espalier::plan {

/// The forms of a call, which texts of errors name.
template <typename Call>
inline constexpr profile::CallForm blocking_form{
    .call = Call::call, .form = profile::Form::blocking
};
template <typename Call>
inline constexpr profile::CallForm started_form{
    .call = Call::call, .form = profile::Form::nonblocking
};
template <typename Call>
inline constexpr profile::CallForm planned_form{
    .call = Call::call, .form = profile::Form::persistent
};

template <typename Call>
std::optional<std::int64_t> Session::result_bytes(Call const& call, State& state) {
  try {
    return call.bytes(state.facts(), state.types());
  } catch (Error const&) {
    return std::nullopt;
  }
}

template <typename Call>
inline CallDecision Session::decide(Call const& call, MPI_Comm comm) noexcept {
  if (comm == MPI_COMM_NULL || (!records_ && !may_choose_[profile::index_of(Call::call)])) {
    return {};
  }
  CallDecision decided;
  int const code = guard(blocking_form<Call>, [&] {
    State* const state = find(comm);
    if (state == nullptr) {
      return MPI_SUCCESS;
    }
    profile::DecisionTable const& table = state->table(Call::call);
    bool const is_promised = has_promise<Call>(*state);
    if (!looks_at_all_ && !table.chooses() && !is_promised) {
      return MPI_SUCCESS;
    }
    if (auto const bytes = result_bytes(call, *state)) {
      profile::Decision const* const kept =
          is_promised ? decision_of_kept(*state, call, comm) : nullptr;
      profile::Decision const& decision =
          kept != nullptr ? *kept : decision_at(*state, Call::call, *bytes);
      decided = {.state = state, .decision = &decision, .bytes = *bytes};
      if (learns() && kept == nullptr) [[unlikely]] {
        decided.decision = contest(*state, Call::call, *bytes, decision);
      }
    } else if (table.chooses() || learns() || is_promised) {
      decided = {.state = state};
    }
    return MPI_SUCCESS;
  });
  if (code != MPI_SUCCESS) {
    decided.code = raise(comm, code);
  }
  return decided;
}

template <typename Call>
  requires(profile::has_agreed_sizes(Call::call))
void Session::keep_sizes(State& state, Call const& call, MPI_Comm comm) {
  KeptSizes::Kept found{.call = Call::call, .root = root_of(call)};
  std::int64_t const own = own_bytes(call, state.facts(), state.types());
  std::int64_t const bytes = agreed_bytes(Call::call, comm, true, own).value();
  profile::Decision const& decision = state.table_of_planned(Call::call).at(bytes);
  // What serves the call anyway needs no promise, and may be learned of.
  if (decision.choice && decision.choice != state.table(Call::call).at(0).choice) {
    if (auto agreed = state.communicator().agree(*decision.choice, call)) {
      found.decision = &decision;
      found.agreed = std::move(*agreed);
      visit_own_sizes(call, state.facts(), state.types(), [&](std::int64_t size) {
        found.own_bytes.push_back(size);
      });
    }
  }
  state.communicator().kept_sizes().add(std::move(found));
}

template <typename Call>
profile::Decision const* Session::decision_of_kept(State& state, Call const& call, MPI_Comm comm) {
  if constexpr (profile::has_agreed_sizes(Call::call)) {
    KeptSizes& sizes = state.communicator().kept_sizes();
    KeptSizes::Kept const* const kept = sizes.find(Call::call, root_of(call));
    bool const is_served_alike =
        kept != nullptr ? kept->decision == nullptr
                        : sizes.is_full() || !state.table_of_planned(Call::call).chooses();
    if (is_served_alike) {
      return nullptr;
    }
    // A rank that fails here sends nothing of what others wait for.
    try {
      if (!sizes.refusal().empty()) {
        throw ClassError(MPI_ERR_COUNT, sizes.refusal());
      }
      if (kept != nullptr) {
        require_kept(*kept, call, state.facts(), state.types());
        return kept->decision;
      }
      keep_sizes(state, call, comm);
    } catch (ClassError const& error) {
      state.communicator().leave_messages();
      sizes.refuse_all(error.what());
      // Not every MPI has texts for codes of its own classes.
      notes_.warn(error.what());
      throw;
    } catch (...) {
      state.communicator().leave_messages();
      throw;
    }
    return sizes.find(Call::call, root_of(call))->decision;
  }
  return nullptr;
}

template <AnyNeighborCall Call>
NeighborDecision Session::decide_in(profile::Form form, Call const& call, MPI_Comm comm) noexcept {
  NeighborForm const one{
      .call = Call::neighbor_call, .form = std::min(form, profile::Form::nonblocking)
  };
  if (comm == MPI_COMM_NULL || (!records_ && !may_choose(one))) {
    return {};
  }
  NeighborDecision decided;
  int const code = guard(rule_form(one), [&] {
    State* const state = find(comm);
    if (state == nullptr) {
      return MPI_SUCCESS;
    }
    profile::Call const name = rule_call(one.call);
    profile::DecisionTable const& table = this->table(one, *state, comm);
    bool const is_known = state->neighbor_class().has_value();
    bool const is_right = is_known && misuse(call, state->neighbors().degrees()) == MPI_SUCCESS;
    if (is_right && profile::has_known_size(name, state->neighbor_shape())) {
      decided.block_bytes = plan::block_bytes(call, state->neighbors(), state->types());
    }
    decided.state = state;
    decided.decision = &decision_at(one, *state, table, decided.block_bytes);
    if (learns() && is_right) {
      decided.decision = &turn_of_neighbors(
          {.call = name, .form = form}, *state, decided.block_bytes, *decided.decision
      );
    }
    return MPI_SUCCESS;
  });
  if (code != MPI_SUCCESS) {
    decided.code = raise(comm, code);
  }
  return decided;
}

template <AnyNeighborCall Call>
NeighborDecision Session::decide(Call const& call, MPI_Comm comm) noexcept {
  return decide_in(profile::Form::blocking, call, comm);
}

template <AnyNeighborCall Call>
NeighborDecision Session::decide_start(Call const& call, MPI_Comm comm) noexcept {
  return decide_in(profile::Form::nonblocking, call, comm);
}

template <AnyNeighborCall Call>
NeighborDecision Session::decide_init(Call const& call, MPI_Comm comm) noexcept {
  return decide_in(profile::Form::persistent, call, comm);
}

template <AnyNeighborCall Call>
void Session::start(NeighborDecision const& decided, Call const& call, MPI_Request& request) {
  world_.follow_progress(Underway::poll);
  State& state = *decided.state;
  state.neighbors().start(*decided.algorithm(), call, state.started(), request);
}

template <typename Call>
inline CallDecision Session::decide_start(Call const& call, MPI_Comm comm) noexcept {
  bool const may_choose = may_choose_started_[profile::index_of(Call::call)];
  if (comm == MPI_COMM_NULL || (!records_ && !may_choose)) {
    return {};
  }
  CallDecision decided;
  int const code = guard(
      started_form<Call>,
      [&]() __attribute__((always_inline)) {
        State* const state = find(comm);
        if (state == nullptr || (!looks_at_starts_ && !may_start(*state, Call::call))) {
          return MPI_SUCCESS;
        }
        auto const bytes = result_bytes(call, *state);
        profile::Decision const* decision = nullptr;
        if (bytes) {
          decision = &decision_of_start(*state, Call::call, *bytes);
        }
        bool const is_served =
            bytes ? decision->choice.has_value() : state->table_of_started(Call::call).chooses();
        if (is_served && !contexts_.starts()) {
          decision = &native_.decision(reason_not_to_start());
        } else if (learns_of_starts() && bytes) [[unlikely]] {
          decision = &turn_of_start(*state, Call::call, *bytes, *decision);
        }
        if (is_served || bytes || (learns_of_starts() && contexts_.starts())) {
          decided = {.state = state, .decision = decision, .bytes = bytes.value_or(0)};
        }
        return MPI_SUCCESS;
      }
  );
  if (code != MPI_SUCCESS) {
    decided.code = raise(comm, code);
  }
  return decided;
}

template <typename Call>
CallDecision Session::decide_init(Call const& call, MPI_Comm comm) noexcept {
  bool const may_choose = may_choose_planned_[profile::index_of(Call::call)];
  if (comm == MPI_COMM_NULL || (!records_ && !may_choose)) {
    return {};
  }
  CallDecision decided;
  int const code = guard(planned_form<Call>, [&] {
    State* const state = find(comm);
    if (state == nullptr || (!records_ && !may_plan(*state, Call::call))) {
      return MPI_SUCCESS;
    }
    profile::DecisionTable const& table = state->table_of_planned(Call::call);
    auto const bytes = result_bytes(call, *state);
    profile::Decision const* decision = nullptr;
    if (bytes) {
      bool const has_no_data = is_empty(*state, Call::call, *bytes);
      decision = has_no_data ? &native_.decision(NativeReason::no_data) : &table.at(*bytes);
    }
    bool const is_served = decision != nullptr && !profile::has_agreed_sizes(Call::call)
                               ? decision->choice.has_value()
                               : table.chooses();
    if (is_served && !contexts_.starts()) {
      decision = &native_.decision(reason_not_to_start());
    }
    if (is_served || bytes) {
      decided = {.state = state, .decision = decision, .bytes = bytes.value_or(0)};
    }
    return MPI_SUCCESS;
  });
  if (code != MPI_SUCCESS) {
    decided.code = raise(comm, code);
  }
  return decided;
}

template <typename Call>
int Session::agree_on_size(
    CallDecision& decided, Call const& call, MPI_Comm comm, bool takes_part
) {
  State& state = *decided.state;
  std::int64_t const own = takes_part ? own_bytes(call, state.facts(), state.types()) : 0;
  auto const bytes = agreed_bytes(Call::call, comm, takes_part, own);
  if (!bytes) {
    return Communicator::refused_agreement;
  }
  decided.bytes = *bytes;
  decided.decision = &state.table_of_planned(Call::call).at(*bytes);
  return MPI_SUCCESS;
}

template <typename Call>
int Session::start_choice(
    State& state,
    algorithms::Choice const& choice,
    Call const& call,
    StartedCalls::Ending ending,
    MPI_Request& request
) noexcept {
  world_.follow_progress(Underway::poll);
  return state.communicator().start(choice, call, state.started(), std::move(ending), request);
}

template <typename Call>
int Session::start(CallDecision const& decided, Call const& call, MPI_Request& request) noexcept {
  auto const& choice = decided.decision->choice;
  return choice ? start_choice(*decided.state, *choice, call, {}, request) : Communicator::refused;
}

template <typename Call>
int Session::plan(
    CallDecision& decided, Call const& call, MPI_Comm comm, MPI_Request* request
) noexcept {
  State& state = *decided.state;
  if (!may_plan(state, Call::call)) {
    return Communicator::refused;
  }
  if constexpr (profile::has_agreed_sizes(Call::call)) {
    bool const takes_part = decided.decision != nullptr && request != nullptr;
    int const code =
        guard(planned_form<Call>, [&] { return agree_on_size(decided, call, comm, takes_part); });
    if (code != MPI_SUCCESS) {
      return Communicator::is_refusal(code) ? code : raise(comm, code);
    }
    if (!decided.decision->choice) {
      return Communicator::refused;
    }
  }
  PlannedHere here{.bytes = decided.bytes};
  if (decided.decision != nullptr && request != nullptr) {
    auto const& choice = decided.decision->choice;
    here.code = guard(planned_form<Call>, [&]() -> int {
      PlannedFor const what{.context = state.started().planned_context()};
      return choice ? state.communicator().bind_planned(*choice, call, what, here.bound)
                    : Communicator::refused;
    });
  }
  return add_planned(state, std::move(here), comm, request);
}

template <AnyNeighborCall Call>
int Session::plan(
    NeighborDecision const& decided, Call const& call, MPI_Comm comm, MPI_Request* request
) noexcept {
  State& state = *decided.state;
  NeighborForm const one{.call = Call::neighbor_call, .form = profile::Form::nonblocking};
  if (!state.neighbor_table(one)->chooses()) {
    return Communicator::refused;
  }
  PlannedHere here{.bytes = decided.block_bytes};
  if (request != nullptr && misuse(call, state.neighbors().degrees()) == MPI_SUCCESS) {
    profile::CallForm const planned{.call = rule_call(one.call), .form = profile::Form::persistent};
    here.code = guard(planned, [&]() -> int {
      if (decided.algorithm() == nullptr) {
        return Communicator::refused;
      }
      here.bound = state.neighbors().bind_planned(
          *decided.algorithm(), call, state.started().planned_context()
      );
      return MPI_SUCCESS;
    });
  }
  return add_planned(state, std::move(here), comm, request);
}

template <typename Call>
IrregularRun Session::start_irregular(
    State& state, Call const& call, MPI_Comm comm, MPI_Request& request
) noexcept {
  IrregularRun run;
  int const code = guard(started_form<Call>, [&] {
    auto const mended = std::make_shared<Mended<Call>>(mend(call, state.facts(), library_));
    run.bytes = mended->bytes;
    run.decision = &decision_of_start(state, Call::call, mended->bytes);
    if (learns_of_starts()) {
      run.decision = &turn_of_start(state, Call::call, mended->bytes, *run.decision);
    }
    if (!run.decision->choice) {
      run.code = Communicator::refused;
      return MPI_SUCCESS;
    }
    if (mended->first) {
      mended->add(unpack(mended->first->data, mended->first->place));
    }
    auto const ending = [mended] {
      if (mended->last) {
        mended->add(unpack(mended->last->data, mended->last->place));
      }
      return mended->code;
    };
    run.code = start_choice(state, *run.decision->choice, mended->call, ending, request);
    return MPI_SUCCESS;
  });
  if (code != MPI_SUCCESS) {
    state.communicator().leave_messages();
    run.code = raise(comm, code);
  }
  return run;
}

template <typename Call>
IrregularRun Session::run_irregular(State& state, Call const& call, MPI_Comm comm) noexcept {
  IrregularRun run;
  int const code = guard(blocking_form<Call>, [&] {
    Mended<Call> mended = mend(call, state.facts(), library_);
    run.bytes = mended.bytes;
    bool const is_promised = has_promise<Call>(state);
    run.decision = is_promised ? decision_of_kept(state, mended.call, comm) : nullptr;
    if (run.decision == nullptr) {
      run.decision = &decision_at(state, Call::call, mended.bytes);
      if (learns()) {
        run.decision = contest(state, Call::call, mended.bytes, *run.decision);
      }
    }
    if (!run.decision->choice) {
      run.code = Communicator::refused;
      return MPI_SUCCESS;
    }
    if (watch::Beacon* const beacon = watch::current_beacon()) {
      beacon->set_algorithm(run.decision->choice->text());
    }
    if (algorithms::is_of_library(*run.decision->choice)) {
      // It does with such a call what it does in any case.
      run.code = state.communicator().run(*run.decision->choice, call);
      return MPI_SUCCESS;
    }
    if (mended.first) {
      mended.add(unpack(mended.first->data, mended.first->place));
    }
    run.code = state.communicator().run(*run.decision->choice, mended.call);
    if (run.code == MPI_SUCCESS) {
      if (mended.last) {
        mended.add(unpack(mended.last->data, mended.last->place));
      }
      run.code = mended.code == MPI_SUCCESS ? MPI_SUCCESS : raise(comm, mended.code);
    }
    return MPI_SUCCESS;
  });
  if (code != MPI_SUCCESS) {
    state.communicator().leave_messages();
    run.code = raise(comm, code);
  }
  return run;
}

}  // namespace espalier::plan
