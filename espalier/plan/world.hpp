// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <span>
#include <vector>

#include <mpi.h>

#include "espalier/exec/node/mpi_node.hpp"
#include "espalier/machine/sources/occupancy.hpp"
#include "espalier/plan/calls/communicator_facts.hpp"
#include "espalier/plan/devices/device_memory.hpp"
#include "espalier/plan/settings/statistics.hpp"
#include "espalier/profile/shape.hpp"

namespace espalier::plan {

/// All ranks that have a session, and facts of them. What is said elsewhere of MPI_COMM_WORLD is
/// meant of `comm`.
struct World {
  int rank = 0;
  int num_ranks = 1;
  /// For each rank a number that ranks of one node share; empty: one node.
  std::vector<int> node_of_rank;
  machine::Occupancy occupancy;  ///< on all ranks alike
  /// Measuring programs have one of their own. It must outlive Session::finish().
  MPI_Comm comm = MPI_COMM_WORLD;
  /// Makes the MPI library call a function, which returns how much was done, wherever it waits or
  /// polls; null: it cannot, and nonblocking calls are native. On all ranks or on none.
  void (*follow_progress)(int (*poll)() noexcept) noexcept = nullptr;
  bool can_follow_progress = false;       ///< the library of this rank could
  bool may_have_progress_thread = false;  ///< on all ranks or on none
  DeviceMemory devices;                   ///< of this rank
  bool has_devices = false;               ///< some rank has some; on all ranks alike
  /// The Fortran functions of the MPI library write into the requests of nonblocking neighborhood
  /// collectives with lists, as if they were its own; in some rank. On all ranks alike.
  bool writes_into_requests = false;
  /// Some process lets several threads call MPI at the same time. Where none does, ranks come to
  /// the communicators that they have in common in the same order. On all ranks alike.
  bool has_concurrent_calls = true;
  /// The memory of the nodes of `comm`, if other sessions use it, too; null: Session::prepare()
  /// makes it where it may be needed.
  std::shared_ptr<exec::node::Node> node;

  /// Of a communicator with these ranks, in its order.
  [[nodiscard]] profile::Shape shape_of(std::vector<int> ranks) const;
  /// What statistics say of a communicator. Ranks that are not of this world have MPI_UNDEFINED.
  [[nodiscard]] CommunicatorClass
  class_of(CommunicatorFacts const& facts, std::vector<int> const& ranks) const;
};

/// The node of each rank of a communicator, in its order.
/// @param node_of_rank  as World::node_of_rank
/// @param world_ranks  of the communicator; empty: ranks are the same
[[nodiscard]] std::vector<int>
nodes_of(std::span<int const> node_of_rank, std::span<int const> world_ranks, int num_ranks);

/// @throws Error mpi.
[[nodiscard]] CommunicatorFacts facts_of_communicator(MPI_Comm comm);

/// Whether all ranks of an intracommunicator are ranks of MPI_COMM_WORLD: only they have the same
/// settings. The same on all of them.
/// @throws Error mpi.
[[nodiscard]] bool is_within_world(MPI_Comm comm);

}  // namespace espalier::plan
