/* SPDX-License-Identifier: Apache-2.0 */

/* A module that is linked with MPI, for programs that are not. Exit code 1: a result was wrong. */

#include <stddef.h>

#include <mpi.h>

__attribute__((visibility("default"))) int run(void);

/* Neighbours without weights: a constant that is a variable of some MPI libraries. Where it is a
   number, gcc takes it for an array that is too short. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overread"

static int is_ring_wrong(int rank, int size) {
  int const before = (rank + size - 1) % size;
  int const after = (rank + 1) % size;
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(
      MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &after, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &ring
  );
  int num_in = 0;
  int num_out = 0;
  int is_weighted = 1;
  MPI_Dist_graph_neighbors_count(ring, &num_in, &num_out, &is_weighted);
  MPI_Comm_free(&ring);
  return num_in != 1 || num_out != 1 || is_weighted;
}

#pragma GCC diagnostic pop

int run(void) {
  int rank = 0;
  int size = 0;
  int const one = 1;
  int sum = 0;
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int const is_wrong = sum != size || is_ring_wrong(rank, size);
  MPI_Finalize();
  return is_wrong;
}
