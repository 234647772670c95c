// SPDX-License-Identifier: Apache-2.0

/// @file
/// MPI_Neighbor_* of a program that knows nothing of Espalier, against an oracle; with Espalier
/// switched off, of the MPI library itself.
///
/// Usage: shim_neighbor [native]. With `native` some or all calls are left to the MPI library.

#include "tests/shim/neighbor.hpp"

#include <cstdlib>
#include <string>

#include <mpi.h>

#include "tests/mpi/capi/neighbor_blocks.hpp"
#include "tests/shim/support.hpp"

namespace {

using namespace espalier::test;

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
