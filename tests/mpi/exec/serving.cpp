// SPDX-License-Identifier: Apache-2.0

/// @file
/// make_progress(), which waits inside a node call, lets MPI go on also where a message has come
/// that nobody has asked for yet. MPICH 4.0 does not go on in an MPI_Iprobe that finds one.

#include <atomic>
#include <chrono>
#include <sched.h>
#include <thread>

#include <mpi.h>

#include "espalier/mpi/own_communicator.hpp"
#include "espalier/mpi/progress.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

using mpi::OwnCommunicator;

constexpr int stray_tag = 3;
constexpr int late_tag = 4;
constexpr int late_value = 42;

/// Sends what nobody asks for, and later what is waited for, without a word of MPI in between.
void send_both(MPI_Comm served, MPI_Comm other) {
  int const stray = 1;
  PMPI_Send(&stray, 1, MPI_INT, 1, stray_tag, served);
  PMPI_Barrier(MPI_COMM_WORLD);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  PMPI_Send(&late_value, 1, MPI_INT, 1, late_tag, other);
}

/// Whether the late message comes while nothing but make_progress() is called.
bool comes(MPI_Comm served, MPI_Comm other) {
  int value = 0;
  MPI_Request late = MPI_REQUEST_NULL;
  PMPI_Irecv(&value, 1, MPI_INT, 0, late_tag, other, &late);
  PMPI_Probe(0, stray_tag, served, MPI_STATUS_IGNORE);
  PMPI_Barrier(MPI_COMM_WORLD);
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  std::atomic_ref<int> const seen(value);
  while (seen.load() != late_value && std::chrono::steady_clock::now() < end) {
    mpi::make_progress(served);
    sched_yield();
  }
  bool const result = seen.load() == late_value;
  PMPI_Wait(&late, MPI_STATUS_IGNORE);
  PMPI_Recv(&value, 1, MPI_INT, 0, stray_tag, served, MPI_STATUS_IGNORE);
  return result;
}

int run() {
  Checks checks;
  OwnCommunicator const served = OwnCommunicator::duplicate(MPI_COMM_WORLD);
  OwnCommunicator const other = OwnCommunicator::duplicate(MPI_COMM_WORLD);
  if (served.rank() == 0) {
    send_both(served.get(), other.get());
  } else {
    checks.expect(comes(served.get(), other.get()), "the late message comes");
  }
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
