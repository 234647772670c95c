// SPDX-License-Identifier: Apache-2.0

/// @file
/// Memory of one executor at 4096 ranks, which need not run for it: the program of one of them is
/// bound on one rank.

#include <cstdio>
#include <string>

#include <malloc.h>

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/base/integer.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

using algorithms::Choice;
using algorithms::Collective;
using exec::MpiExecutor;
using exec::TypedCount;

constexpr int num_ranks = 4096;
constexpr int root = 0;
constexpr int rank = 1365;
constexpr std::size_t limit_bytes = std::size_t{1} << 20U;

MpiExecutor make(Choice const& choice, MPI_Comm comm, TypedCount const& count) {
  auto const program = choice.generate(num_ranks, root, rank);
  return choice.collective() == Collective::bcast
             ? exec::bcast_executor(program, comm, count, root)
             : exec::allgather_executor(program, comm, count, count);
}

void check(Checks& checks, MPI_Comm comm, Choice const& choice, TypedCount const& count) {
  std::size_t const before = mallinfo2().uordblks;
  MpiExecutor const executor = make(choice, comm, count);
  // What the allocator says includes what the MPI library keeps for datatypes.
  std::size_t const grown = mallinfo2().uordblks - before;
  std::string const what = choice.text() + ", " + std::to_string(count.count) + " elements: ";
  std::printf("%s%zu bytes, of these %zu our own\n", what.c_str(), grown, executor.memory_bytes());
  checks.expect(grown <= limit_bytes, what + std::to_string(grown) + " bytes");
  checks.expect(executor.memory_bytes() <= grown + 4096, what + "reports more than it takes");
}

int run() {
  MPI_Comm comm = private_comm();
  Checks checks;
  MPI_Datatype vector = gapped_ints();
  for (Collective const collective : {Collective::allgather, Collective::bcast}) {
    for (Choice const& choice : algorithms::variants(collective, num_ranks)) {
      bool const is_logarithmic =
          choice.facts(num_ranks, root).messages <= 4 * ceil_log2(num_ranks);
      if (is_logarithmic && choice.num_segments() == 1) {
        check(checks, comm, choice, {.type = MPI_BYTE, .count = 8});
        check(checks, comm, choice, {.type = MPI_INT, .count = 1000});
        check(checks, comm, choice, {.type = vector, .count = 10});
      }
    }
  }
  PMPI_Type_free(&vector);
  PMPI_Comm_free(&comm);
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
