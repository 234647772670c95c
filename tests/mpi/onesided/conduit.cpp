// SPDX-License-Identifier: Apache-2.0

/// The suite of tests/onesided with processes as ranks, for the conduit that the first argument
/// names. Further arguments name cases; by default all run, one after another.

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "tests/mpi/lost_memory.hpp"
#include "tests/mpi/onesided/named_conduits.hpp"
#include "tests/onesided/suite/suite.hpp"

namespace espalier::onesided {
namespace {

int rank_of_world() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Failures of this rank. What is thrown here ends the job: other ranks may wait for this one.
long run(suite::Case const& one, Attach attach) {
  suite::Checks checks;
  int const rank = rank_of_world();
  try {
    auto const work = one.make();
    auto const conduit = attach(MPI_COMM_WORLD, work->segment_bytes(rank), work->handlers());
    work->run(*conduit, checks);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "rank %d: %s: threw '%s'\n", rank, one.name.c_str(), error.what());
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
  checks.expect(checks.num_checks() > 0, "a case checks something");
  for (std::string const& failure : checks.failures()) {
    std::fprintf(stderr, "rank %d: %s: %s\n", rank, one.name.c_str(), failure.c_str());
  }
  return static_cast<long>(checks.failures().size());
}

int run_all(std::vector<std::string> const& arguments) {
  Attach const attach = arguments.empty() ? nullptr : attach_named(arguments.front());
  if (attach == nullptr) {
    std::fprintf(stderr, "expected the name of a conduit that this build has\n");
    return 2;
  }
  long counts[2] = {0, 0};
  for (suite::Case const& one : suite::cases()) {
    bool const is_meant = arguments.size() == 1 || std::ranges::count(arguments, one.name) > 0;
    if (is_meant) {
      double const start = PMPI_Wtime();
      ++counts[0];
      counts[1] += run(one, attach);
      if (rank_of_world() == 0) {
        std::printf("%-22s %6.0f ms\n", one.name.c_str(), 1e3 * (PMPI_Wtime() - start));
        std::fflush(stdout);
      }
    }
  }
  PMPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return counts[0] > 0 && counts[1] == 0 ? 0 : 1;
}

}  // namespace
}  // namespace espalier::onesided

int main(int argc, char** argv) {
  espalier::test::start_mpi(&argc, &argv);
  int const code = espalier::onesided::run_all({argv + 1, argv + argc});
  bool const has_lost = espalier::test::has_lost_memory();
  MPI_Finalize();
  return has_lost ? 1 : code;
}
