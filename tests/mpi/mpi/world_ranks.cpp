// SPDX-License-Identifier: Apache-2.0

#include "espalier/mpi/world_ranks.hpp"

#include <vector>

#include <mpi.h>

#include "espalier/mpi/own_communicator.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

using mpi::OwnCommunicator;

/// All ranks but the last, from the highest down: only they hold the result.
void check_part(Checks& checks, OwnCommunicator const& own) {
  int const last = own.size() - 1;
  OwnCommunicator const part = own.split(own.rank() == last ? MPI_UNDEFINED : last - own.rank());
  if (part.get() == MPI_COMM_NULL) {
    return;
  }
  std::vector<int> down;
  std::vector<int> back;
  for (int rank = last - 1; rank >= 0; --rank) {
    down.push_back(rank);
    back.push_back(rank);
  }
  back.push_back(MPI_UNDEFINED);
  checks.expect(mpi::world_ranks(part.get()) == down, "ranks of a part in the world");
  checks.expect(mpi::world_ranks(own.get(), part.get()) == back, "ranks in a part, and outside");
}

int run() {
  Checks checks;
  {
    OwnCommunicator const own = OwnCommunicator::duplicate(MPI_COMM_WORLD);
    check_part(checks, own);
  }
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
