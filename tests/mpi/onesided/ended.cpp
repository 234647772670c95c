// SPDX-License-Identifier: Apache-2.0

/// The last rank ends its conduit of the node while the others wait, in a barrier or, as rank 0,
/// for a counter. They get an error, rank 0 when all others have ended, and MPI goes on.

#include <cstdio>
#include <memory>
#include <string>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/onesided/mpi/mpi_node_conduit.hpp"

namespace {

using espalier::Error;
using espalier::onesided::Conduit;

/// Whether an action throws an error of this kind with these words.
template <typename Action> bool says(std::string const& words, Action&& action) {
  try {
    action();
  } catch (Error const& error) {
    return error.code() == espalier::ErrorCode::io &&
           std::string(error.what()).find(words) != std::string::npos;
  }
  return false;
}

bool has_heard(std::unique_ptr<Conduit> conduit) {
  int const last = conduit->num_ranks() - 1;
  conduit->barrier();
  if (conduit->rank() == last) {
    return true;
  }
  if (conduit->rank() == 0) {
    return says("all have ended", [&] { conduit->await(0, 1); });
  }
  std::string const named = "rank " + std::to_string(last) + " has ended its conduit after 1";
  return says(named, [&] { conduit->barrier(); });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int has_failed = has_heard(espalier::onesided::attach_node(MPI_COMM_WORLD, 64, {})) ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &has_failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return has_failed;
}
