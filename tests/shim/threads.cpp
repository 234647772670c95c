// SPDX-License-Identifier: Apache-2.0

/// @file
/// Four threads of each rank work on four communicators at the same time, and make new ones.

#include <array>
#include <cstdio>
#include <thread>
#include <vector>

#include <mpi.h>

#include "tests/shim/support.hpp"

namespace {

using shim_test::rank_of;
using shim_test::require;
using shim_test::size_of;

constexpr int num_threads = 4;

void use(MPI_Comm comm, int salt) {
  int const p = size_of(comm);
  int const mine = salt + rank_of(comm);
  std::vector<int> all(static_cast<std::size_t>(p));
  MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, comm);
  for (int r = 0; r < p; ++r) {
    require(all[static_cast<std::size_t>(r)] == salt + r, "allgather among threads");
  }
  std::vector<int> message(
      static_cast<std::size_t>(1 + salt % 3000), rank_of(comm) == 0 ? salt : -1
  );
  MPI_Bcast(message.data(), static_cast<int>(message.size()), MPI_INT, 0, comm);
  require(message.back() == salt, "bcast among threads");
}

void work(MPI_Comm comm, int thread) {
  for (int i = 0; i < 50; ++i) {
    use(comm, 1000 * thread + i);
    if (i % 10 == 0) {
      MPI_Comm own = MPI_COMM_NULL;
      MPI_Comm_dup(comm, &own);
      use(own, 7 * i);
      MPI_Comm_free(&own);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  shim_test::require_preloaded();
  require(provided == MPI_THREAD_MULTIPLE, "this MPI has no MPI_THREAD_MULTIPLE");
  std::array<MPI_Comm, num_threads> comms{};
  for (MPI_Comm& comm : comms) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < num_threads; ++i) {
    threads.emplace_back(work, comms[static_cast<std::size_t>(i)], i);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (MPI_Comm& comm : comms) {
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  return 0;
}
