// SPDX-License-Identifier: Apache-2.0

/// @file
/// Distributed graph communicators whose ranks are ordered so that neighbours are near each other.
///
/// A graph is given by the ranks of the old communicator as its vertices. In the new one, rank i
/// plays vertex i, whichever process that is: it has the neighbours that rank i declared, in the
/// same order (MPI 4.0, 8.5.5).

#pragma once

#include <optional>

#include <mpi.h>

#include "espalier/plan/topologies/cartesian.hpp"
#include "espalier/plan/topologies/graph_arguments.hpp"
#include "espalier/plan/topologies/places.hpp"

namespace espalier::plan {

/// Edges with their weights go to rank 0, which looks for an order and sends it to all.
///
/// Collective over comm, an intracommunicator.
/// @param machine significant on rank 0.
/// @return nothing, on all ranks, if the arguments of some rank are not what MPI asks for: the MPI
///   library has to complain.
/// @throws Error mpi.
[[nodiscard]] std::optional<MappedCommunicator>
create_dist_graph(MPI_Comm comm, AdjacentGraph const& graph, MachineText const& machine = {});
[[nodiscard]] std::optional<MappedCommunicator>
create_dist_graph(MPI_Comm comm, EdgeGraph const& graph, MachineText const& machine = {});

}  // namespace espalier::plan
