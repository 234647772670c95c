// SPDX-License-Identifier: Apache-2.0

/// @file
/// Programs that bend the standard, and that end under the MPI library alone: each case is the
/// smallest program of its kind. Argument: the name of a case.

#include "tests/shim/irregular.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <vector>

#include <mpi.h>

namespace {

using shim_test::Cases;
using shim_test::first;
using shim_test::rank_of;
using shim_test::require;
using shim_test::size_of;
using shim_test::Watched;

/// After an error the communicator is as good as before.
void going_on() {
  Watched const watched;
  int const p = size_of(watched.comm);
  int const rank = rank_of(watched.comm);
  std::vector<int> values(5000, rank);
  for (int const count : {1, 2000}) {
    // The root sends more than the others expect.
    bool const is_root = rank == 0;
    int code = MPI_Bcast(values.data(), is_root ? 2 * count : count, MPI_INT, 0, watched.comm);
    // In a binomial tree others get it from ranks that expect as little as they do.
    bool const is_child_of_root = !is_root && (rank & (rank - 1)) == 0;
    watched.require_class(
        code, is_child_of_root ? MPI_ERR_TRUNCATE : MPI_SUCCESS, "a message too long"
    );
    std::fill(values.begin(), values.end(), rank);
    code = MPI_Bcast(values.data(), 2 * count, MPI_INT, p - 1, watched.comm);
    watched.require_class(code, MPI_SUCCESS, "the next bcast");
    require(
        values.front() == p - 1 && values[static_cast<std::size_t>(2 * count) - 1] == p - 1, "data"
    );
    // An argument that is wrong everywhere.
    code = MPI_Bcast(values.data(), -1, MPI_INT, 0, watched.comm);
    watched.require_class(code, MPI_ERR_COUNT, "a negative count");
    int sum = 0;
    code = MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, watched.comm);
    watched.require_class(code, MPI_SUCCESS, "allreduce afterwards");
    require(sum == p * (p - 1) / 2, "allreduce afterwards");
    std::fill(values.begin(), values.end(), rank);
  }
}

/// More communicators than there are context identifiers for two each (MPICH: 2,046).
void many_communicators() {
  constexpr int num_communicators = 1300;
  std::vector<MPI_Comm> comms(num_communicators);
  int const rank = rank_of(MPI_COMM_WORLD);
  int const p = size_of(MPI_COMM_WORLD);
  for (int i = 0; i < num_communicators; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[static_cast<std::size_t>(i)]);
  }
  for (MPI_Comm const comm : comms) {
    int sum = 0;
    require(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS, "allreduce");
    require(sum == p * (p - 1) / 2, "allreduce on one of many communicators");
  }
  for (MPI_Comm& comm : comms) {
    MPI_Comm_free(&comm);
  }
}

/// First collectives on many communicators while other threads make more.
void threads_that_make_groups() {
  constexpr int num_threads = 4;
  constexpr int num_rounds = 20;
  int const p = size_of(MPI_COMM_WORLD);
  std::array<std::array<MPI_Comm, num_rounds>, num_threads> comms{};
  for (auto& of_thread : comms) {
    for (MPI_Comm& comm : of_thread) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    }
  }
  auto const use = [&](MPI_Comm comm) {
    int const rank = rank_of(comm);
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    require(sum == p * (p - 1) / 2, "allreduce among threads");
  };
  auto const work = [&](int thread) {
    for (int i = 0; i < num_rounds; ++i) {
      MPI_Comm const comm = comms[static_cast<std::size_t>(thread)][static_cast<std::size_t>(i)];
      if (thread % 2 == 0) {
        use(comm);
        continue;
      }
      MPI_Group group = MPI_GROUP_NULL;
      MPI_Comm_group(comm, &group);
      MPI_Comm made = MPI_COMM_NULL;
      MPI_Comm_create_group(comm, group, num_rounds * thread + i, &made);
      MPI_Group_free(&group);
      use(made);
      MPI_Comm_free(&made);
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 0; thread < num_threads; ++thread) {
    threads.emplace_back(work, thread);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (auto& of_thread : comms) {
    for (MPI_Comm& comm : of_thread) {
      MPI_Comm_free(&comm);
    }
  }
}

/// Small messages are sent before anybody receives, so first calls in any order end.
void first_calls_in_any_order() {
  int const rank = rank_of(MPI_COMM_WORLD);
  std::array<MPI_Comm, 2> comms{};
  for (MPI_Comm& comm : comms) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  }
  std::array<int, 2> values{rank == 0 ? 100 : -1, rank == 0 ? 101 : -1};
  for (std::size_t i = 0; i < comms.size(); ++i) {
    std::size_t const now = rank == 0 ? i : 1 - i;
    MPI_Bcast(&values[now], 1, MPI_INT, 0, comms[now]);
  }
  require(values[0] == 100 && values[1] == 101, "each bcast has its own data");
  for (MPI_Comm& comm : comms) {
    MPI_Comm_free(&comm);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Cases cases{
      {"first_calls_in_any_order", first_calls_in_any_order},
      {"going_on", going_on},
      {"many_communicators", many_communicators},
      {"threads_that_make_groups", threads_that_make_groups},
  };
  cases.merge(shim_test::alias_cases());
  cases.merge(shim_test::type_cases());
  std::string const name = argc > 1 ? argv[1] : "";
  int provided = MPI_THREAD_SINGLE;
  bool const has_threads = name == "threads_that_make_groups";
  MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  shim_test::require_preloaded();
  // MPICH raises errors of messages there, whatever their communicator.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  require(cases.contains(name), "expected the name of a case, got '" + name + "'");
  cases.at(name)();
  MPI_Finalize();
  return 0;
}
