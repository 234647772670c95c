// SPDX-License-Identifier: Apache-2.0

/// @file
/// What a session does with neighborhood collectives.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/neighborhood/catalog.hpp"
#include "espalier/plan/neighbors/library_pairing.hpp"
#include "espalier/plan/neighbors/neighbor_topology.hpp"
#include "espalier/plan/session.hpp"

namespace espalier::plan {
namespace {

/// Whether some rank of a communicator has memory that the processor must not touch. Collective.
bool has_devices_somewhere(World const& world, MPI_Comm comm) {
  int found = world.devices.is_present() ? 1 : 0;
  mpi::require_success(
      PMPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce"
  );
  return found != 0;
}

}  // namespace

profile::DecisionTable const& Session::table(NeighborForm one, State& state, MPI_Comm comm) {
  profile::DecisionTable const*& known = state.neighbor_table(one);
  if (known == nullptr) [[unlikely]] {
    known = &find_table(one, state, comm);
  }
  return *known;
}

profile::DecisionTable const& Session::find_table(NeighborForm one, State& state, MPI_Comm comm) {
  auto const& forced = forced_neighbors_[index_of(one)];
  // A start waits for nobody: what an algorithm needs was found when the communicator was made.
  bool const is_ready = one.is_blocking() || state.neighbor_class().has_value();
  profile::DecisionTable const* found = nullptr;
  if (forced && (is_ready || !forced->chooses())) {
    found = &find_forced(one, *forced, state, comm);
  } else {
    found = &find_ruled(one, state, comm);
  }
  if (one.is_blocking() || !found->chooses()) {
    return *found;
  }
  if (is_written_when_started(rule_call(one.call))) {
    return native_.table(NativeReason::written_requests);
  }
  return contexts_.starts() ? *found : native_.table(reason_not_to_start());
}

profile::DecisionTable const& Session::find_ruled(NeighborForm one, State& state, MPI_Comm comm) {
  if (state.facts().num_ranks == 1) {
    return native_.table(NativeReason::one_rank);
  }
  if (is_left_alone(comm)) {
    return native_.table(NativeReason::left_alone);
  }
  if (!may_choose(one)) {
    return tables_.find(rule_form(one), state.shape());
  }
  std::optional<NeighborClass> const& found = state.neighbor_class();
  if (!found) {
    return native_.table(NativeReason::no_neighborhood);
  }
  return pairs_as_library(one, *found) ? tables_.find(rule_form(one), state.neighbor_shape())
                                       : native_.table(NativeReason::other_pairing);
}

profile::DecisionTable const& Session::find_forced(
    NeighborForm one, profile::DecisionTable const& forced, State& state, MPI_Comm comm
) {
  if (!forced.chooses()) {
    return forced;
  }
  // What they need is made with the communicator, see Session::adopt().
  if (!may_choose(one) || !has_neighbors(comm) || !state.neighbors().is_prepared()) {
    return native_.table(NativeReason::no_neighborhood);
  }
  neighborhood::Algorithm const& algorithm = *forced.decisions().front().neighbors;
  std::string const reason = state.neighbors().refuses(algorithm, one.call, SizesBy::promise);
  if (reason.empty()) {
    return forced;
  }
  notes_.warn(
      "ESPALIER_FORCE: " + to_string(one) + ": " + reason +
      "; using the native call on such communicators"
  );
  return native_.table(NativeReason::refused_neighborhood);
}

profile::Decision const& Session::decision_at(
    NeighborForm one, State& state, profile::DecisionTable const& table, std::int64_t block_bytes
) {
  bool const is_forced = forced_neighbors_[index_of(one)].has_value();
  bool const is_empty = block_bytes == 0 && state.neighbor_class() &&
                        profile::has_known_size(rule_call(one.call), state.neighbor_shape());
  return is_empty && !is_forced ? native_.decision(NativeReason::no_data)
                                : served(one, state, table.at(block_bytes));
}

profile::Decision const&
Session::served(NeighborForm one, State& state, profile::Decision const& decision) {
  bool const is_forced = forced_neighbors_[index_of(one)].has_value();
  if (decision.neighbors == nullptr || is_forced ||
      state.neighbors().serves(*decision.neighbors, one.call)) {
    return decision;
  }
  if (settings_.profile && decision.rule >= 0) {
    notes_.warn(
        to_string(one) + ": " +
        state.neighbors().refuses(*decision.neighbors, one.call, SizesBy::standard) + " (" +
        decision.reason + "); using the native call on such communicators"
    );
  }
  return native_.decision(NativeReason::refused_neighborhood);
}

profile::Decision const& Session::turn_of_neighbors(
    profile::CallForm call,
    State& state,
    std::int64_t block_bytes,
    profile::Decision const& decision
) {
  NeighborForm const one{.call = neighbor_call(call.call), .form = call.form};
  if (one.is_blocking()) {
    return served(one, state, *contest(state, call.call, block_bytes, decision));
  }
  if (call.form == profile::Form::persistent || !learns_of_starts()) {
    return decision;
  }
  profile::Decision const& turn = turn_of_start(state, call.call, block_bytes, decision);
  profile::Decision const& runs = served(one, state, turn);
  if (&runs != &turn) {
    state.time_start(nullptr);  // not what was to be timed
  }
  return runs;
}

void Session::survey_neighbors(MPI_Comm comm) {
  State& state = *find(comm);
  CommunicatorFacts const& facts = state.facts();
  if (facts.num_ranks == 1 || is_left_alone(comm)) {
    return;
  }
  // Where only learning may choose, nobody has agreed on devices yet.
  if (!settings_.has_choices() && has_devices_somewhere(world_, comm)) {
    return;
  }
  if (!state.context() && (!contexts_.is_put_off(comm) || !give_context(state))) {
    return;
  }
  auto neighborhood = shared_neighborhood_of(comm);
  if (!neighborhood) {
    return;
  }
  NeighborClass const found = class_of(*neighborhood);
  state.take(
      {
          .neighborhood = std::move(*neighborhood),
          .node_of_rank = nodes_of(world_.node_of_rank, state.world_ranks(), facts.num_ranks),
          .context = contexts_.context(*state.context(), state.world_ranks()),
          // Of two ranks each may send another size: see block_bytes().
          .knows_sizes = facts.num_ranks > 2 && found.topology != profile::Topology::disconnected,
      },
      found
  );
}

}  // namespace espalier::plan
