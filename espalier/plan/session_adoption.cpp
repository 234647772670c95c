// SPDX-License-Identifier: Apache-2.0

/// @file
/// What a session does with a communicator that the program just made.

#include <algorithm>
#include <chrono>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/plan/clock.hpp"
#include "espalier/plan/communicators/info_hints.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/neighbors/neighbor_topology.hpp"
#include "espalier/plan/session.hpp"

namespace espalier::plan {

int Session::adopt(MPI_Comm comm) noexcept {
  if (comm == MPI_COMM_NULL || !contexts_.is_open()) {
    return MPI_SUCCESS;
  }
  int const code = guard([&] {
    CommunicatorFacts const facts = facts_of_communicator(comm);
    if (facts.is_intercommunicator || !is_within_world(comm)) {
      return MPI_SUCCESS;
    }
    if (facts.num_ranks > 1 && !contexts_.of(comm)) {
      give_context_early(comm);
    }
    make_neighbors(comm);
    return MPI_SUCCESS;
  });
  return code == MPI_SUCCESS ? code : raise(comm, code);
}

int Session::heed(MPI_Comm comm, MPI_Info info) noexcept {
  if (comm == MPI_COMM_NULL || !contexts_.is_open()) {
    return MPI_SUCCESS;
  }
  int const code = guard([&] {
    CommunicatorFacts const facts = facts_of_communicator(comm);
    if (facts.is_intercommunicator || facts.num_ranks == 1 || !is_within_world(comm)) {
      return MPI_SUCCESS;
    }
    AgreedHints const agreed = agreed_hints(comm, info);
    for (std::string const& complaint : agreed.complaints) {
      notes_.warn(complaint);
    }
    follow(agreed, comm);
    return MPI_SUCCESS;
  });
  return code == MPI_SUCCESS ? code : raise(comm, code);
}

void Session::follow(AgreedHints const& hints, MPI_Comm comm) {
  if (hints.tune != Hint::none) {
    hint_.set(comm, hints.tune == Hint::no ? this : nullptr);
    if (State* const state = find(comm)) {
      state->set_tables(facts_of(comm).tables);
    }
  }
  if (hints.fixed_sizes != Hint::none) {
    if (State* const state = find(comm)) {
      state->communicator().keep_sizes(hints.fixed_sizes == Hint::yes);
      has_promises_.store(true, std::memory_order_relaxed);
    }
  }
}

bool Session::is_left_alone(MPI_Comm comm) const {
  return hint_.of(comm).value_or(nullptr) != nullptr;
}

void Session::give_context_early(MPI_Comm comm) {
  if (!gives_contexts_late_) {
    give_context(comm);
    make_native(comm);
    return;
  }
  contexts_.put_off(comm);
  if (!learning_ || (!settings_.memory && !settings_.site)) {
    return;
  }
  State& state = *find(comm);
  bool const may_start =
      contexts_.starts() && (state.chooses_started() || learning_->started().tries(state.shape()));
  if (state.chooses() || may_start) {
    give_context(state);
  }
}

void Session::give_context(MPI_Comm comm) {
  if (contexts_.of(comm)) {
    return;
  }
  Clock::time_point const start = Clock::now();
  contexts_.give(comm);
  std::chrono::duration<double> const elapsed = Clock::now() - start;
  notes_.add(OwnCommunicators{.count = 1, .seconds = elapsed.count()});
}

bool Session::give_context(State& state) {
  MPI_Comm const comm = state.communicator().user();
  give_context(comm);
  State::Messages messages{.context = contexts_.of(comm)};
  if (!messages.context) {
    State::Tables tables{};
    tables.fill(&native_.table(NativeReason::no_context));
    state.set_tables(tables);
    return false;
  }
  contexts_.hold(*messages.context);  // until release(): the state may go after the number
  share_memory(messages, state.world_ranks(), state.facts().num_ranks);
  state.use(std::move(messages));
  return true;
}

/// Native phases and algorithms have communicators of their own, made here since none is made in a
/// collective.
void Session::make_native(MPI_Comm comm) {
  if (needs_native_) {
    find(comm)->make_native(native_selections_);
  }
}

/// What neighborhood collectives need is found here, as nothing is agreed on in them. Blocking ones
/// that are forced have a communicator of their own where this finds nothing, also on what rules
/// leave alone.
void Session::make_neighbors(MPI_Comm comm) {
  auto const may_choose = [&](NeighborForm one) { return this->may_choose(one); };
  auto const is_forced = [&](NeighborForm one) {
    return one.is_blocking() && may_choose(one) && forced_neighbors_[index_of(one)].has_value();
  };
  if (std::ranges::none_of(all_neighbor_forms, may_choose) || !has_neighbors(comm)) {
    return;
  }
  survey_neighbors(comm);
  if (std::ranges::none_of(all_neighbor_forms, is_forced)) {
    return;
  }
  try {
    find(comm)->neighbors().prepare();
  } catch (Error const& error) {
    // MPI makes communicators on all ranks or on none, and all ranks know a graph that is no good.
    if (error.code() != ErrorCode::mpi && error.code() != ErrorCode::argument) {
      throw;
    }
    notes_.warn(
        std::string("neighborhood collectives stay native on a communicator: ") + error.what()
    );
  }
}

}  // namespace espalier::plan
