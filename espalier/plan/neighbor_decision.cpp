// SPDX-License-Identifier: Apache-2.0

/// @file
/// What a session does with neighborhood collectives.

#include <string>

#include "espalier/neighborhood/catalog.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/neighbor_topology.hpp"
#include "espalier/plan/session.hpp"

namespace espalier::plan {

neighborhood::Algorithm const* Session::choose(NeighborCall call, State& state, MPI_Comm comm) {
  if (!has_neighbors(comm) || !state.context()) {
    return nullptr;
  }
  neighborhood::Algorithm const& algorithm = *settings_.forced_neighbors[index_of(call)];
  std::string const reason = state.neighbors().refuses(algorithm, call, false);
  if (reason.empty()) {
    return &algorithm;
  }
  warn(
      "ESPALIER_FORCE: " + std::string(to_string(call)) + ": " + reason +
      "; using the native call on such communicators"
  );
  return nullptr;
}

NeighborVerdict Session::decide(NeighborCall call, MPI_Comm comm) noexcept {
  if (comm == MPI_COMM_NULL || !settings_.may_choose(call)) {
    return {};
  }
  NeighborVerdict verdict;
  int const code = guard([&] {
    State* const state = find(comm);
    if (state == nullptr) {
      return MPI_SUCCESS;
    }
    auto& choice = state->neighbor_choice(call);
    if (!choice) {
      choice = choose(call, *state, comm);
    }
    if (*choice != nullptr) {
      verdict = {.neighbors = &state->neighbors(), .algorithm = *choice};
    }
    return MPI_SUCCESS;
  });
  if (code != MPI_SUCCESS) {
    verdict.code = raise(comm, code);
  }
  return verdict;
}

}  // namespace espalier::plan
