// SPDX-License-Identifier: Apache-2.0

/// @file
/// From the topology of a communicator to its neighborhood, in the order of MPI's own collectives.

#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <mpi.h>

#include "espalier/mapping/dims/cartesian_grid.hpp"
#include "espalier/neighborhood/neighborhood.hpp"

namespace espalier::plan {

/// As MPI_Topo_test. Local.
/// @throws Error mpi.
[[nodiscard]] int topology_of(MPI_Comm comm);

/// True if neighborhood collectives can be served: a topology, on an intracommunicator, with at
/// least one dimension if it is a grid. Local; the same on all ranks.
/// @throws Error mpi.
[[nodiscard]] bool has_neighbors(MPI_Comm comm);

/// To whom this rank sends in neighborhood collectives, in their order; negative where nobody is.
/// Empty if has_neighbors() is false. Local.
/// @throws Error mpi.
[[nodiscard]] std::vector<int> destinations_of(MPI_Comm comm);

/// The grid of a Cartesian communicator. Local.
/// @throws Error mpi, argument for a grid without dimensions.
[[nodiscard]] mapping::CartesianGrid grid_of(MPI_Comm comm);

/// Edges that all ranks may know, in and out: 2 MiB on each.
inline constexpr std::size_t most_shared_edges = std::size_t{1} << 17U;

/// The neighborhood of a communicator with the edges of all ranks, the same on all of them; none if
/// it has more than most_shared_edges, or edges with one end only. On a grid these are not stored,
/// and may be any number. Stencils in graphs are recognised.
///
/// Local on grids and graphs; collective over the communicator on a distributed graph.
/// @throws Error mpi.
[[nodiscard]] std::optional<neighborhood::Neighborhood> shared_neighborhood_of(MPI_Comm comm);

/// The neighborhood of a communicator, of which every rank knows what it needs to send to its
/// neighbours itself: on a distributed graph its own edges only.
///
/// Local on grids and graphs; on a distributed graph neighbours tell each other, over
/// `private_comm`, which of their edges meet.
/// @throws Error mpi; argument for a graph in which an edge has one end only.
[[nodiscard]] neighborhood::Neighborhood neighborhood_of(MPI_Comm user, MPI_Comm private_comm);

/// The same with the edges of all ranks known on each, and a stencil in them recognised. Collective
/// over private_comm.
/// @throws Error as neighborhood_of().
[[nodiscard]] neighborhood::Neighborhood
with_all_edges(neighborhood::Neighborhood const& own, MPI_Comm private_comm);

/// For each rank a number that ranks of one node share. Collective over private_comm.
/// @throws Error mpi.
[[nodiscard]] std::vector<int> nodes_of_ranks(MPI_Comm private_comm);

}  // namespace espalier::plan
