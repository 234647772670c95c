// SPDX-License-Identifier: Apache-2.0

/// @file
/// Communicators with a topology in a program that knows nothing of Espalier: whatever order of
/// ranks it gets, grids and graphs are the ones it asked for. The argument says what has to be
/// seen: `mapped` (fewer messages between nodes) or `native` (ranks as they were).

#include "tests/shim/topology.hpp"

#include <cstring>

#include <mpi.h>

#include "tests/mpi/fake_nodes.hpp"

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" __attribute__((visibility("default"))) int
PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  return fake_nodes::split_type(comm, type, key, info, made);
}

namespace {

void check_all() {
  for (auto* const node_of :
       {fake_nodes::cyclic_on_2, fake_nodes::cyclic_on_3, fake_nodes::pairs}) {
    fake_nodes::node_of = node_of;
    shim_test::check_grids();
    shim_test::check_graphs();
  }
  shim_test::check_odd_grids();
  shim_test::check_dims();
  shim_test::check_wrong_graphs();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  shim_test::require(argc == 2, "expected mapped or native");
  shim_test::is_mapped = std::strcmp(argv[1], "mapped") == 0;
  check_all();
  MPI_Finalize();
  return 0;
}
