// SPDX-License-Identifier: Apache-2.0

/// @file
/// Collectives of every form on a communicator, however it was made.

#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <mpi.h>

#include "tests/shim/completing.hpp"
#include "tests/shim/persistent_names.h"
#include "tests/shim/support.hpp"

namespace shim_test {

/// One blocking call of each kind; all ranks of the communicator take part.
inline void use_blocking(MPI_Comm comm) {
  int const p = size_of(comm);
  int const rank = rank_of(comm);
  std::vector<int> all(static_cast<std::size_t>(2 * p));
  int const mine[] = {rank, 100 + rank};
  MPI_Allgather(mine, 2, MPI_INT, all.data(), 2, MPI_INT, comm);
  std::vector<int> const counts(static_cast<std::size_t>(p), 1);
  std::vector<int> displacements;
  for (int r = 0; r < p; ++r) {
    require(all[static_cast<std::size_t>(2 * r + 1)] == 100 + r, "allgather");
    displacements.push_back(p - 1 - r);
  }
  std::vector<int> reversed(static_cast<std::size_t>(p));
  MPI_Allgatherv(
      &rank, 1, MPI_INT, reversed.data(), counts.data(), displacements.data(), MPI_INT, comm
  );
  for (int r = 0; r < p; ++r) {
    require(reversed[static_cast<std::size_t>(p - 1 - r)] == r, "allgatherv");
  }
  double message = rank == p - 1 ? 2.5 : 0.0;
  MPI_Bcast(&message, 1, MPI_DOUBLE, p - 1, comm);
  require(message == 2.5, "bcast");
}

/// The same of nonblocking and persistent calls, two of them in flight at a time.
inline void use_started(MPI_Comm comm) {
  int const p = size_of(comm);
  int const rank = rank_of(comm);
  int const sum = p * (p - 1) / 2;
  int total = -1;
  int message = rank == 0 ? 7 : 0;
  MPI_Request first = MPI_REQUEST_NULL;
  MPI_Request second = MPI_REQUEST_NULL;
  MPI_Iallreduce(&rank, &total, 1, MPI_INT, MPI_SUM, comm, &first);
  MPI_Ibcast(&message, 1, MPI_INT, 0, comm, &second);
  complete(second);
  complete(first);
  require(total == sum && message == 7, "nonblocking collectives");
  ESPALIER_PERSISTENT(Allreduce)(&rank, &total, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &first);
  ESPALIER_PERSISTENT(Bcast)(&message, 1, MPI_INT, 0, comm, MPI_INFO_NULL, &second);
  for (int run = 1; run < 4; ++run) {
    total = -1;
    message = rank == 0 ? run : 0;
    MPI_Start(&second);
    MPI_Start(&first);
    complete_planned(first);
    complete_planned(second);
    require(total == sum && message == run, "persistent collectives");
  }
  MPI_Request_free(&first);
  MPI_Request_free(&second);
}

/// The same of neighborhood calls, between the ranks on a line: native ones of the MPI libraries
/// are not right on rings of two.
inline void use_neighbors(MPI_Comm comm) {
  int const p = size_of(comm);
  int const is_periodic = 0;
  MPI_Comm line = MPI_COMM_NULL;
  MPI_Cart_create(comm, 1, &p, &is_periodic, 0, &line);
  int const rank = rank_of(line);
  int const own[] = {10 * rank, 10 * rank + 1};
  int const expected[] = {rank > 0 ? 10 * rank - 9 : -1, rank < p - 1 ? 10 * rank + 10 : -1};
  int got[] = {-1, -1};
  MPI_Request request = MPI_REQUEST_NULL;
  auto const is_right = [&] {
    bool const are_equal = got[0] == expected[0] && got[1] == expected[1];
    got[0] = -1;
    got[1] = -1;
    return are_equal;
  };
  MPI_Neighbor_alltoall(own, 1, MPI_INT, got, 1, MPI_INT, line);
  require(is_right(), "a neighborhood collective");
  MPI_Ineighbor_alltoall(own, 1, MPI_INT, got, 1, MPI_INT, line, &request);
  complete(request);
  require(is_right(), "a nonblocking neighborhood collective");
  ESPALIER_PERSISTENT(Neighbor_alltoall)
  (own, 1, MPI_INT, got, 1, MPI_INT, line, MPI_INFO_NULL, &request);
  for (int run = 0; run < 2; ++run) {
    MPI_Start(&request);
    complete_planned(request);
    require(is_right(), "a persistent neighborhood collective");
  }
  MPI_Request_free(&request);
  MPI_Comm_free(&line);
}

/// All of these.
inline void use_fully(MPI_Comm comm) {
  use_blocking(comm);
  use_started(comm);
  use_neighbors(comm);
  use_blocking(comm);
}

}  // namespace shim_test
