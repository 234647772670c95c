// SPDX-License-Identifier: Apache-2.0

/// @file
/// Neighborhood collectives with large counts, blocking, nonblocking and persistent ones, in a ring
/// of at least three ranks, where no rank is a neighbour twice.

#include <string>

#include <mpi.h>

#include "tests/shim/support.hpp"

namespace {

using shim_test::rank_of;
using shim_test::require;
using shim_test::size_of;

/// A form of the five functions.
template <typename Gather, typename Gatherv, typename All, typename Allv, typename Allw>
struct Form {
  std::string name;
  Gather gather;
  Gatherv gatherv;
  All all;
  Allv allv;
  Allw allw;
};

/// Calls a form of the five functions, one after another.
/// @param end  completes a call, at whose end the result is checked by the function that it is
/// given
/// @param last  arguments after the communicator
template <typename Functions, typename End, typename... Last>
void check(MPI_Comm ring, Functions const& form, End end, Last... last) {
  int const rank = rank_of(ring);
  int const left = (rank + size_of(ring) - 1) % size_of(ring);
  int const right = (rank + 1) % size_of(ring);
  int const mine[] = {10 * rank, 10 * rank + 1};
  MPI_Count const counts[] = {1, 1};
  MPI_Aint const places[] = {1, 0};
  MPI_Aint const sent_bytes[] = {0, sizeof(int)};
  MPI_Aint const received_bytes[] = {sizeof(int), 0};
  MPI_Datatype const types[] = {MPI_INT, MPI_INT};
  int got[] = {-1, -1};
  auto const ends_with = [&](int first, int second, std::string const& name) {
    end([&] {
      require(got[0] == first && got[1] == second, form.name + " " + name);
      got[0] = -1;
      got[1] = -1;
    });
  };
  form.gather(mine, 1, MPI_INT, got, 1, MPI_INT, ring, last...);
  ends_with(10 * left, 10 * right, "allgather");
  form.gatherv(mine, 1, MPI_INT, got, counts, places, MPI_INT, ring, last...);
  ends_with(10 * right, 10 * left, "allgatherv");
  form.all(mine, 1, MPI_INT, got, 1, MPI_INT, ring, last...);
  ends_with(10 * left + 1, 10 * right, "alltoall");
  form.allv(mine, counts, places, MPI_INT, got, counts, places, MPI_INT, ring, last...);
  ends_with(10 * right + 1, 10 * left, "alltoallv");
  form.allw(mine, counts, sent_bytes, types, got, counts, received_bytes, types, ring, last...);
  ends_with(10 * right, 10 * left + 1, "alltoallw");
}

void check_blocking(MPI_Comm ring) {
  Form const form{
      "blocking",
      MPI_Neighbor_allgather_c,
      MPI_Neighbor_allgatherv_c,
      MPI_Neighbor_alltoall_c,
      MPI_Neighbor_alltoallv_c,
      MPI_Neighbor_alltoallw_c,
  };
  check(ring, form, [](auto const& is_right) { is_right(); });
}

void check_nonblocking(MPI_Comm ring) {
  Form const form{
      "nonblocking",
      MPI_Ineighbor_allgather_c,
      MPI_Ineighbor_allgatherv_c,
      MPI_Ineighbor_alltoall_c,
      MPI_Ineighbor_alltoallv_c,
      MPI_Ineighbor_alltoallw_c,
  };
  MPI_Request request = MPI_REQUEST_NULL;
  auto const end = [&](auto const& is_right) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    is_right();
  };
  check(ring, form, end, &request);
}

void check_persistent(MPI_Comm ring) {
  Form const form{
      "persistent",
      MPI_Neighbor_allgather_init_c,
      MPI_Neighbor_allgatherv_init_c,
      MPI_Neighbor_alltoall_init_c,
      MPI_Neighbor_alltoallv_init_c,
      MPI_Neighbor_alltoallw_init_c,
  };
  MPI_Request request = MPI_REQUEST_NULL;
  auto const end = [&](auto const& is_right) {
    for (int run = 0; run < 3; ++run) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      is_right();
    }
    MPI_Request_free(&request);
  };
  check(ring, form, end, MPI_INFO_NULL, &request);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  int const num_ranks = size_of(MPI_COMM_WORLD);
  int const is_periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &num_ranks, &is_periodic, 0, &ring);
  check_blocking(ring);
  check_nonblocking(ring);
  check_persistent(ring);
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return 0;
}
