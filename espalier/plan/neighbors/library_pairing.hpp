// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include "espalier/plan/neighbors/neighbor_class.hpp"
#include "espalier/plan/neighbors/neighbor_name.hpp"

namespace espalier::plan {

/// Whether the native call is known to put the same blocks at the same places as our algorithms,
/// which follow the standard. Where it is not, a program that came to terms with its library would
/// get other results from a trial than from the next native call: there the native call stays,
/// unless the user forces another one.
///
/// MPICH 4.0.2 swaps the blocks of MPI_Neighbor_alltoallv and _alltoallw on rings of one and two
/// ranks, pairs repeated edges of graphs in another order, and fails in MPI_Neighbor_alltoallw on
/// sparse graphs (tests/shim/neighbor.cpp). Open MPI 4.1.4 swaps blocks on such rings in calls that
/// are only started (tests/shim/neighbor_started.cpp).
[[nodiscard]] inline bool pairs_as_library(NeighborForm one, NeighborClass const& found) {
  bool const is_allgather = collective_of(one.call) == neighborhood::Collective::neighbor_allgather;
#ifdef MPICH_VERSION
  bool const is_known = one.call != NeighborCall::alltoallw && !found.has_repeated_edges;
#else
  bool const is_ring = found.topology == profile::Topology::grid && found.has_repeated_edges;
  bool const is_known = one.is_blocking() || !is_ring;
#endif
  return is_allgather || is_known;
}

}  // namespace espalier::plan
