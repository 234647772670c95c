// SPDX-License-Identifier: Apache-2.0

/// @file
/// What a session does with neighborhood collectives.

#include <string>

#include "espalier/neighborhood/catalog.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/neighbors/neighbor_topology.hpp"
#include "espalier/plan/session.hpp"

namespace espalier::plan {

neighborhood::Algorithm const* Session::choose(NeighborCall call, State& state, MPI_Comm comm) {
  // What they need is made with the communicator, see Session::adopt().
  if (!has_neighbors(comm) || !state.neighbors().is_prepared()) {
    return nullptr;
  }
  neighborhood::Algorithm const& algorithm = *settings_.forced_neighbors[index_of(call)];
  std::string const reason = state.neighbors().refuses(algorithm, call, false);
  if (reason.empty()) {
    return &algorithm;
  }
  notes_.warn(
      "ESPALIER_FORCE: " + std::string(to_string(call)) + ": " + reason +
      "; using the native call on such communicators"
  );
  return nullptr;
}

NeighborDecision Session::decide(NeighborCall call, MPI_Comm comm) noexcept {
  bool const may_choose = settings_.may_choose(call) && !world_.has_devices;
  if (comm == MPI_COMM_NULL || (!may_choose && !records_)) {
    return {};
  }
  NeighborDecision decided;
  int const code = guard([&] {
    State* const state = find(comm);
    decided.state = state;
    if (state == nullptr || !may_choose) {
      return MPI_SUCCESS;
    }
    auto& choice = state->neighbor_choice(call);
    if (!choice) {
      choice = choose(call, *state, comm);
    }
    if (*choice != nullptr) {
      decided.neighbors = &state->neighbors();
      decided.algorithm = *choice;
    }
    return MPI_SUCCESS;
  });
  if (code != MPI_SUCCESS) {
    decided.code = raise(comm, code);
  }
  return decided;
}

}  // namespace espalier::plan
