// SPDX-License-Identifier: Apache-2.0

/// @file
/// Cartesian communicators whose ranks are ordered so that neighbours are near each other.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/mapping/dims/cartesian_grid.hpp"
#include "espalier/mapping/dims/stencil.hpp"
#include "espalier/mapping/places.hpp"
#include "espalier/mapping/search/portfolio.hpp"
#include "espalier/plan/topologies/places.hpp"

namespace espalier::plan {

/// The grid must be equal on all ranks.
struct CartesianRequest {
  mapping::CartesianGrid grid;
  /// Who talks to whom; the nearest neighbours, each as much as the others, if none is given.
  /// Significant on rank 0.
  std::optional<mapping::Stencil> stencil{};
  /// Of at least as many ranks as the grid has positions. Given on all ranks, though significant on
  /// rank 0 only, or on none: then find_places() is asked, which communicates.
  std::optional<mapping::Places> places{};
  MachineText machine{};              ///< for find_places(); significant on rank 0
  mapping::MappingOptions options{};  ///< significant on rank 0
};

struct MappedCommunicator {
  /// The caller's, to be freed by MPI_Comm_free; MPI_COMM_NULL on ranks that got no position.
  MPI_Comm comm = MPI_COMM_NULL;
  /// rank_at and algorithm on all ranks; scores and trials on rank 0 only.
  mapping::Mapping mapping{};
  /// "50x48 on 50 nodes: inter-node neighbours 4704 -> 1232, worst node 96 -> 28 (stencil_strips +
  /// search)"; on rank 0 only, as all that follows.
  std::string report{};
  std::vector<std::string> warnings{};
  std::optional<mapping::Places> places{};  ///< of the ranks that got a position
};

/// A Cartesian communicator in the best order found. Rank 0 looks for it and sends it to all. Ranks
/// of comm from the number of positions on get none, as in MPI_Cart_create.
///
/// Collective over comm, an intracommunicator. What fails on one rank because of the request is the
/// same error on all.
/// @throws Error argument if the grid has more positions than comm ranks, or stencil and places do
///   not fit the grid; mpi.
[[nodiscard]] MappedCommunicator create_cartesian(MPI_Comm comm, CartesianRequest const& request);

/// A Cartesian communicator in a given order: MPI_Comm_split with the position as key, and
/// MPI_Cart_create of it without reordering.
///
/// Collective over comm.
/// @param rank_at the rank of comm at each position of the grid, equal on all ranks.
/// @return MPI_COMM_NULL on ranks that have no position.
/// @throws Error argument unless `rank_at` names a different rank of comm for each position; mpi.
///   Nothing is left behind.
[[nodiscard]] MPI_Comm
create_cartesian(MPI_Comm comm, mapping::CartesianGrid const& grid, std::span<int const> rank_at);

}  // namespace espalier::plan
