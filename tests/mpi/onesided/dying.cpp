// SPDX-License-Identifier: Apache-2.0

/// The last rank dies while all others wait for it: half of them for a counter, half at a barrier.
/// Nothing but the launcher can end this program, and no rank gets to its end.

#include <cstdio>
#include <string_view>
#include <unistd.h>

#include <mpi.h>

#include "espalier/onesided/mpi/mpi_node_conduit.hpp"
#include "espalier/onesided/mpi/mpi_rma_conduit.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool const is_node = argc == 2 && std::string_view(argv[1]) == "node";
  auto const conduit = is_node ? espalier::onesided::attach_node(MPI_COMM_WORLD, 64, {})
                               : espalier::onesided::attach_rma(MPI_COMM_WORLD, 64, {});
  conduit->barrier();
  if (conduit->rank() == conduit->num_ranks() - 1) {
    _exit(3);
  }
  if (conduit->rank() % 2 == 0) {
    conduit->await(0, 1);
  } else {
    conduit->barrier();
  }
  std::printf("a wait for a dead rank ended\n");
  std::fflush(stdout);
  _exit(0);
}
