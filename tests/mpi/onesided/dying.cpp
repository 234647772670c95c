// SPDX-License-Identifier: Apache-2.0

/// The last rank dies while all others wait for it: half of them for a counter, half at a barrier.
/// Nothing but the launcher can end this program, or an error of the conduit that the first
/// argument names, and no rank gets to its end.

#include <cstdio>
#include <unistd.h>

#include <mpi.h>

#include "tests/mpi/onesided/named_conduits.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  auto const attach = espalier::onesided::attach_named(argc == 2 ? argv[1] : "");
  if (attach == nullptr) {
    std::printf("a wait for a dead rank ended before it began: no such conduit\n");
    return 1;
  }
  auto const conduit = attach(MPI_COMM_WORLD, 64, {});
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
