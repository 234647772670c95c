// SPDX-License-Identifier: Apache-2.0

/// @file
/// Communicators with processes that have another MPI_COMM_WORLD, or that met over a port: what is
/// served on them and what is not gives the right results, and they can be disconnected.
///
/// Usage: shim_dynamic spawn | port. Spawned processes are the same program.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/shim/support.hpp"
#include "tests/shim/used.hpp"

namespace {

using namespace shim_test;

constexpr int num_spawned = 2;

/// Collectives between the groups of an intercommunicator.
void use_between(MPI_Comm inter) {
  int num_remote = 0;
  MPI_Comm_remote_size(inter, &num_remote);
  int const own = 50 + rank_of(inter);
  std::vector<int> all(static_cast<std::size_t>(num_remote));
  MPI_Allgather(&own, 1, MPI_INT, all.data(), 1, MPI_INT, inter);
  for (int r = 0; r < num_remote; ++r) {
    require(all[static_cast<std::size_t>(r)] == 50 + r, "allgather between groups");
  }
  int sum = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&own, &sum, 1, MPI_INT, MPI_SUM, inter, &request);
  complete(request);
  require(sum == 50 * num_remote + num_remote * (num_remote - 1) / 2, "allreduce between groups");
}

/// The groups become one, which falls apart again: in ranks of one world, of several worlds, and
/// duplicates of these.
void use_merged(MPI_Comm inter, bool is_high) {
  MPI_Comm merged = MPI_COMM_NULL;
  MPI_Intercomm_merge(inter, is_high ? 1 : 0, &merged);
  use_fully(merged);
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_split(merged, is_high ? 1 : 0, -rank_of(merged), &own);
  use_fully(own);
  MPI_Comm mixed = MPI_COMM_NULL;
  MPI_Comm_split(merged, rank_of(merged) % 2, 0, &mixed);
  use_fully(mixed);
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(merged, &copy);
  use_fully(copy);
  // Open MPI 4.1 itself waits for ever if more than one communicator between worlds is
  // disconnected.
  MPI_Comm_free(&copy);
  MPI_Comm_free(&mixed);
  MPI_Comm_disconnect(&own);
  require(own == MPI_COMM_NULL, "a communicator that was disconnected is null");
  MPI_Comm_free(&merged);
}

void use_inter(MPI_Comm inter, bool is_high) {
  use_fully(MPI_COMM_WORLD);
  use_between(inter);
  use_merged(inter, is_high);
  use_between(inter);
  MPI_Comm_disconnect(&inter);
  use_fully(MPI_COMM_WORLD);
}

void check_spawn(char const* program) {
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    use_inter(parent, true);
    return;
  }
  for (int round = 0; round < 2; ++round) {
    std::string what = "spawn";
    std::array<char*, 2> arguments{what.data(), nullptr};
    std::array<int, num_spawned> codes{};
    MPI_Comm children = MPI_COMM_NULL;
    MPI_Comm_spawn(
        program,
        arguments.data(),
        num_spawned,
        MPI_INFO_NULL,
        size_of(MPI_COMM_WORLD) - 1,
        MPI_COMM_WORLD,
        &children,
        codes.data()
    );
    use_inter(children, false);
  }
}

/// The halves of one world meet over a port.
void check_port() {
  int const rank = rank_of(MPI_COMM_WORLD);
  int const num_low = (size_of(MPI_COMM_WORLD) + 1) / 2;
  bool const is_high = rank >= num_low;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, is_high ? 1 : 0, 0, &half);
  std::array<char, MPI_MAX_PORT_NAME> port{};
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port.data());
  }
  for (int round = 0; round < 3; ++round) {
    MPI_Bcast(port.data(), static_cast<int>(port.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Comm inter = MPI_COMM_NULL;
    if (is_high) {
      MPI_Comm_connect(port.data(), MPI_INFO_NULL, 0, half, &inter);
    } else {
      MPI_Comm_accept(port.data(), MPI_INFO_NULL, 0, half, &inter);
    }
    use_inter(inter, is_high);
  }
  if (rank == 0) {
    MPI_Close_port(port.data());
  }
  MPI_Comm_disconnect(&half);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::string const what = argc > 1 ? argv[1] : "spawn";
  if (what == "spawn") {
    check_spawn(argv[0]);
  } else {
    check_port();
  }
  MPI_Finalize();
  return 0;
}
