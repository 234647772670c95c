// SPDX-License-Identifier: Apache-2.0

/// @file
/// With ESPALIER_PROGRESS=thread, nonblocking collectives of several rounds end on all ranks while
/// none of them calls a function of MPI.

#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include <mpi.h>

#include "tests/shim/support.hpp"

namespace {

using namespace shim_test;

constexpr int unwritten = -1;

/// Whether a place of a buffer that another thread writes gets a value in time.
bool comes(int const& place, int expected) {
  using Clock = std::chrono::steady_clock;
  auto const end = Clock::now() + std::chrono::seconds(30);
  while (static_cast<int const volatile&>(place) != expected && Clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return static_cast<int const volatile&>(place) == expected;
}

/// All ranks start it, and look at nothing but their own memory until they have the result.
void reduce_without_calls(int count) {
  int const num_ranks = size_of(MPI_COMM_WORLD);
  std::vector<int> const own(static_cast<std::size_t>(count), rank_of(MPI_COMM_WORLD) + 1);
  std::vector<int> sum(own.size(), unwritten);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(own.data(), sum.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  int const expected = num_ranks * (num_ranks + 1) / 2;
  require(comes(sum.front(), expected) && comes(sum.back(), expected), "expected the sum to come");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  require(sum == std::vector<int>(own.size(), expected), "expected the sum everywhere");
  // Nobody computes its next sum while others still look.
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  require_preloaded();
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  require(level == MPI_THREAD_MULTIPLE, "expected MPI_THREAD_MULTIPLE, which the thread needs");
  for (int round = 0; round < 20; ++round) {
    reduce_without_calls(1);
  }
  reduce_without_calls(100'000);
  MPI_Finalize();
}
