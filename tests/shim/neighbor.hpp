// SPDX-License-Identifier: Apache-2.0

/// @file
/// Neighborhoods for tests that compare results of MPI's own collectives with an oracle, and what
/// MPI libraries are known to do wrong in them.
///
/// Open MPI 4.1.4 agrees with the oracle everywhere. MPICH 4.0.2 does not where several edges join
/// the same two ranks, or a rank with itself: in MPI_Neighbor_alltoallv on rings of one or two
/// ranks what is sent to -1 arrives as what comes from -1, unlike in its MPI_Neighbor_alltoall.
/// Other differences of its native calls (the order in which repeated edges of graphs are paired,
/// MPI_Neighbor_alltoallw on sparse graphs) are not explained; where they are native, those cases
/// are left out.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/mpi/capi/neighbor_blocks.hpp"
#include "tests/shim/support.hpp"

namespace espalier::test {

inline std::string name_of(Topology const& topology, Kind kind, int scale) {
  return topology.name + " kind " + std::to_string(static_cast<int>(kind)) + " x" +
         std::to_string(scale);
}

/// Those that MPI knows of. Some ranks take no part in some of them.
inline std::vector<Topology> known_topologies() {
  std::vector<Topology> found = topologies();
  std::erase_if(found, [](Topology& topology) {
    bool const is_unknown = !topology.offsets.empty();
    if (is_unknown && topology.comm != MPI_COMM_NULL) {
      MPI_Comm_free(&topology.comm);
    }
    return is_unknown;
  });
  return found;
}

inline void free_all(std::vector<Topology>& all) {
  for (Topology& topology : all) {
    if (topology.comm != MPI_COMM_NULL) {
      MPI_Comm_free(&topology.comm);
    }
  }
}

/// Whether several edges join the same two ranks somewhere. Collective.
inline bool has_multiple_edges(Topology const& topology) {
  std::vector<int> sources;
  for (Origin const& origin : topology.in) {
    if (origin.rank >= 0) {
      sources.push_back(origin.rank);
    }
  }
  std::ranges::sort(sources);
  int found = std::ranges::adjacent_find(sources) != sources.end() ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_MAX, topology.comm);
  return found != 0;
}

/// What the MPI library does not do by the standard.
inline bool is_known_to_fail([[maybe_unused]] Kind kind, [[maybe_unused]] bool has_multiple) {
#ifdef MPICH_VERSION
  bool const is_uneven = kind == Kind::alltoallv || kind == Kind::alltoallw;
  return is_uneven || (has_multiple && !is_allgather(kind));
#else
  return false;
#endif
}

/// The same of calls that are only started.
inline bool is_known_to_fail_started(Topology const& topology, Kind kind, bool has_multiple) {
#ifdef OPEN_MPI
  return topology.is_grid && has_multiple && !is_allgather(kind);
#else
  static_cast<void>(topology);
  return is_known_to_fail(kind, has_multiple);
#endif
}

/// What programs of tests of started and of planned calls are: `run(checks, topologies, what)` says
/// whether it knows the case that the first argument names. Otherwise `check_each(checks, topology,
/// number, is_native)` looks at one topology after the other.
template <typename Run, typename CheckEach>
int run_neighbors(int argc, char** argv, Run const& run, CheckEach const& check_each) {
  MPI_Init(&argc, &argv);
  if (std::getenv("ESPALIER_FORCE") != nullptr) {
    shim_test::require_preloaded();
  }
  std::string const what = argc > 1 ? argv[1] : "each";
  has_equal_types = what == "native";
  Checks checks;
  std::vector<Topology> all = known_topologies();
  if (!run(checks, all, what)) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].comm != MPI_COMM_NULL) {
        check_each(checks, all[i], i + 1, what == "native");
      }
    }
  }
  free_all(all);
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}

}  // namespace espalier::test
