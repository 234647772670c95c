// SPDX-License-Identifier: Apache-2.0

/// @file
/// A started run has sent its first messages, and has not looked for those of others: there the MPI
/// library may give its processor to other ranks, while the program has work to do.

#include <chrono>
#include <dlfcn.h>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/plan/communicators/underway.hpp"
#include "tests/mpi/exec/support.hpp"

namespace {

int num_looks = 0;

}  // namespace

/// In place of that of the MPI library, for the calls of executors.
extern "C" int PMPI_Test(MPI_Request* request, int* is_complete, MPI_Status* status) {
  using Test = int (*)(MPI_Request*, int*, MPI_Status*);
  static auto const next = reinterpret_cast<Test>(dlsym(RTLD_NEXT, "PMPI_Test"));
  ++num_looks;
  return next(request, is_complete, status);
}

/// The same.
extern "C" int PMPI_Testsome(
    int num_requests, MPI_Request requests[], int* num_done, int done[], MPI_Status statuses[]
) {
  using Testsome = int (*)(int, MPI_Request*, int*, int*, MPI_Status*);
  static auto const next = reinterpret_cast<Testsome>(dlsym(RTLD_NEXT, "PMPI_Testsome"));
  ++num_looks;
  return next(num_requests, requests, num_done, done, statuses);
}

namespace espalier::test {
namespace {

using std::chrono::steady_clock;

constexpr int num_elements = 64;
/// In rounds, with receives that are waited for at once, and by completion.
constexpr char const* names[] = {"flat", "binomial", "chain[segments=4]"};

exec::MpiExecutor executor_of(char const* name, PrivateComm const& comm) {
  int rank = 0;
  int num_ranks = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  auto const choice = algorithms::Choice::parse(algorithms::Collective::bcast, name);
  return exec::bcast_executor(
      choice.generate(num_ranks, 0, rank), comm, {.type = MPI_INT, .count = num_elements}, 0
  );
}

std::vector<int> data_of(int rank) {
  return std::vector<int>(num_elements, rank == 0 ? 1 : 0);
}

bool is_complete_in_time(plan::Underway& call) {
  auto const end = steady_clock::now() + std::chrono::seconds(10);
  bool is_complete = false;
  while (!is_complete && steady_clock::now() < end) {
    call.test(is_complete);
  }
  return is_complete;
}

void check_looks(Checks& checks, PrivateComm const& comm, int rank) {
  for (char const* const name : names) {
    exec::MpiExecutor executor = executor_of(name, comm);
    std::vector<int> data = data_of(rank);
    plan::Underway call(executor);
    PMPI_Barrier(MPI_COMM_WORLD);
    num_looks = 0;
    call.start(nullptr, data.data());
    std::string const text = name;
    checks.expect(num_looks == 0, text + ": looks for messages at the start");
    checks.expect(is_complete_in_time(call), text + ": does not end");
    checks.expect(num_looks > 0, text + ": never looks for messages");
    checks.expect(data == data_of(0), text + ": wrong result");
  }
}

/// The root starts and then waits for the others, which need nothing else of it.
void check_first_messages(Checks& checks, PrivateComm const& comm, int rank) {
  exec::MpiExecutor executor = executor_of("flat", comm);
  std::vector<int> data = data_of(rank);
  plan::Underway call(executor);
  call.start(nullptr, data.data());
  if (rank != 0) {
    checks.expect(is_complete_in_time(call), "the start of the root sends nothing");
  }
  PMPI_Barrier(MPI_COMM_WORLD);
  call.wait();
}

int run() {
  PrivateComm const comm;
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Checks checks;
  check_looks(checks, comm, rank);
  check_first_messages(checks, comm, rank);
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
