// SPDX-License-Identifier: Apache-2.0

/// The last rank ends without a word, while the launcher lets the others live. The one that waits
/// for it gets an error that names it, can end its conduit, and says so.

#include <cstdio>
#include <unistd.h>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/onesided/ucx/ucx_conduit.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  using espalier::onesided::UcxWatch;
  auto conduit = espalier::onesided::attach_ucx(MPI_COMM_WORLD, 64, {}, UcxWatch::all_ranks);
  try {
    conduit->barrier();
    if (conduit->rank() == conduit->num_ranks() - 1) {
      _exit(0);  // perhaps before the others have left the barrier
    }
    conduit->await(0, 1);
  } catch (espalier::Error const& error) {
    conduit.reset();
    bool const is_io = error.code() == espalier::ErrorCode::io;
    std::printf("after the end of the conduit: %s '%s'\n", is_io ? "io" : "other", error.what());
    std::fflush(stdout);
  }
  _exit(0);
}
