// SPDX-License-Identifier: Apache-2.0

/// The last rank ends without a word, while the launcher lets the others live. The one that waits
/// for it gets an error that names it, can end its conduit, and says so. It also says if there is
/// no conduit.

#include <cstdio>
#include <memory>
#include <unistd.h>
#include <utility>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/onesided/ucx/ucx_conduit.hpp"

namespace {

using espalier::Error;
using espalier::onesided::Conduit;

std::unique_ptr<Conduit> attach() {
  using espalier::onesided::UcxWatch;
  try {
    return espalier::onesided::attach_ucx(MPI_COMM_WORLD, 64, {}, UcxWatch::all_ranks);
  } catch (Error const& error) {
    std::printf("not attached: '%s'\n", error.what());
    return nullptr;
  }
}

void watch(std::unique_ptr<Conduit> conduit) {
  try {
    conduit->barrier();
    if (conduit->rank() == conduit->num_ranks() - 1) {
      _exit(0);  // perhaps before the others have left the barrier
    }
    conduit->await(0, 1);
  } catch (Error const& error) {
    conduit.reset();
    bool const is_io = error.code() == espalier::ErrorCode::io;
    std::printf("after the end of the conduit: %s '%s'\n", is_io ? "io" : "other", error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::unique_ptr<Conduit> conduit = attach();
  if (!conduit) {
    MPI_Finalize();
    return 1;
  }
  watch(std::move(conduit));
  std::fflush(stdout);
  _exit(0);
}
