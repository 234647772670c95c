// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include "espalier/plan/neighbors/neighbor_name.hpp"

namespace espalier::plan {

/// Whether the native call is known to put the same blocks at the same places as our algorithms,
/// which follow the standard. Where it is not, a program that came to terms with its library would
/// get other results from a trial than from the next native call: there the native call stays,
/// unless the user forces another one.
///
/// MPICH 4.0.2 swaps the blocks of MPI_Neighbor_alltoallv and _alltoallw on rings of one and two
/// ranks, pairs repeated edges of graphs in another order, and fails in MPI_Neighbor_alltoallw on
/// sparse graphs (tests/shim/neighbor.cpp). Open MPI 4.1.4 does nothing of this.
[[nodiscard]] constexpr bool
pairs_as_library([[maybe_unused]] NeighborCall call, [[maybe_unused]] bool has_repeated_edges) {
#ifdef MPICH_VERSION
  bool const is_allgather = collective_of(call) == neighborhood::Collective::neighbor_allgather;
  return is_allgather || (call != NeighborCall::alltoallw && !has_repeated_edges);
#else
  return true;
#endif
}

}  // namespace espalier::plan
