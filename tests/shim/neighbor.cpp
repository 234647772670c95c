// SPDX-License-Identifier: Apache-2.0

/// @file
/// MPI_Neighbor_* of a program that knows nothing of Espalier, against an oracle; with Espalier
/// switched off, of the MPI library itself.
///
/// Usage: shim_neighbor [native]. With `native` some or all calls are left to the MPI library.
///
/// Open MPI 4.1.4 agrees with the oracle everywhere. MPICH 4.0.2 does not where several edges join
/// the same two ranks, or a rank with itself: in MPI_Neighbor_alltoallv on rings of one or two
/// ranks what is sent to -1 arrives as what comes from -1, unlike in its MPI_Neighbor_alltoall.
/// Other differences of its native calls (the order in which repeated edges of graphs are paired,
/// MPI_Neighbor_alltoallw on sparse graphs) are not explained; where they are native, those cases
/// are left out.

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/mpi/capi/neighbor_blocks.hpp"
#include "tests/shim/support.hpp"

namespace {

using namespace espalier::test;

/// Whether several edges join the same two ranks somewhere. Collective.
bool has_multiple_edges(Topology const& topology) {
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
bool is_known_to_fail([[maybe_unused]] Kind kind, [[maybe_unused]] bool has_multiple) {
#ifdef MPICH_VERSION
  bool const is_uneven = kind == Kind::alltoallv || kind == Kind::alltoallw;
  return is_uneven || (has_multiple && !is_allgather(kind));
#else
  return false;
#endif
}

void check(Checks& checks, Topology const& topology, std::size_t seed, bool is_native) {
  bool const has_multiple = has_multiple_edges(topology);
  for (Kind const kind : all_kinds) {
    if (is_native && is_known_to_fail(kind, has_multiple)) {
      continue;
    }
    for (int const scale : {1, 0, 900}) {
      Job job(topology, kind, scale, seed++);
      espalier::test::Buffer const untouched = job.output;
      for (int i = 0; i < 2; ++i) {
        job.output = untouched;
        std::string const what = topology.name + " kind " + std::to_string(static_cast<int>(kind)) +
                                 " x" + std::to_string(scale);
        checks.expect(job.native(topology.comm) == MPI_SUCCESS, what + ": code");
        checks.expect(job.is_right(), what + ": data");
      }
    }
  }
}

/// Wrong arguments come back as errors, from whoever finds them.
void check_errors(Checks& checks, MPI_Comm comm) {
  int values[4] = {};
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int const code = MPI_Neighbor_alltoall(values, -1, MPI_INT, values, -1, MPI_INT, comm);
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  checks.expect(error_class == MPI_ERR_COUNT, "a negative count is an error");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (std::getenv("ESPALIER_FORCE") != nullptr) {
    shim_test::require_preloaded();
  }
  bool const is_native = argc > 1 && std::string(argv[1]) == "native";
  has_equal_types = is_native;
  Checks checks;
  std::size_t seed = 0;
  for (Topology& topology : topologies()) {
    ++seed;
    if (topology.comm == MPI_COMM_NULL || !topology.offsets.empty()) {
      continue;
    }
    check(checks, topology, seed, is_native);
    check_errors(checks, topology.comm);
    if (seed % 2 == 0) {
      MPI_Comm_free(&topology.comm);  // the others are left to MPI_Finalize
    }
  }
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
