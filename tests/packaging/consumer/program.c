/* SPDX-License-Identifier: Apache-2.0 */

/* Calls the C interface, and a collective that can be forced. */

#include <stdio.h>

#include <espalier_mpix.h>

#include <mpi.h>

int main(int argc, char** argv) {
  int const periods[2] = {0, 0};
  double const weights[2] = {1.0 / 1800, 1.0 / 580};
  int dims[2] = {0, 0};
  int ranks[64] = {0};
  int rank = 0;
  int num_ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  MPIX_Dims_weighted_create(num_ranks, 2, weights, periods, MPI_INFO_NULL, dims);
  MPI_Allgather(&rank, 1, MPI_INT, ranks, 1, MPI_INT, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d x %d, last rank %d\n", dims[0], dims[1], ranks[num_ranks - 1]);
  }
  MPI_Finalize();
  return 0;
}
