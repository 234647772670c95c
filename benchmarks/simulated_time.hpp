// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <utility>

#include <simgrid/s4u.hpp>

#include <mpi.h>

namespace espalier::benchmarks {

/// Simulated seconds of an action that all ranks begin at once, of the rank that takes longest.
/// Collective.
template <typename Action> double simulated_seconds(Action&& action) {
  using simgrid::s4u::Engine;
  /// Longer than ranks take to agree on a start.
  constexpr double before_start = 0.1;
  MPI_Barrier(MPI_COMM_WORLD);
  double start = Engine::get_clock();
  MPI_Allreduce(MPI_IN_PLACE, &start, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  start += before_start;
  simgrid::s4u::this_actor::sleep_until(start);
  std::forward<Action>(action)();
  double seconds = Engine::get_clock() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

}  // namespace espalier::benchmarks
