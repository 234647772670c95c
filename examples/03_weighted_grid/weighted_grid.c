/* SPDX-License-Identifier: Apache-2.0 */

/* A grid of 1800 x 580 points: MPI_Dims_create cuts 4 processes into 2 x 2, which exchange more
   than 4 x 1 do. The halo of a process is one row or column of points on each side. */

#include <stdio.h>

#include <espalier_mpix.h>

#include <mpi.h>

static void show(char const* how, MPI_Comm grid, int const dims[2]) {
  int rank = 0;
  MPI_Comm_rank(grid, &rank);
  if (rank == 0) {
    printf(
        "%s: %d x %d, halo of %d points\n",
        how,
        dims[0],
        dims[1],
        2 * (1800 / dims[0] + 580 / dims[1])
    );
  }
  MPI_Comm_free(&grid);
}

int main(int argc, char** argv) {
  int const periods[2] = {0, 0};
  double const weights[2] = {1.0 / 1800, 1.0 / 580};
  int plain[2] = {0, 0};
  int fitted[2] = {0, 0};
  int num_ranks = 0;
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);

  MPI_Dims_create(num_ranks, 2, plain);
  MPI_Cart_create(MPI_COMM_WORLD, 2, plain, periods, 1, &grid);
  show("MPI_Dims_create + MPI_Cart_create", grid, plain);

  MPIX_Cart_weighted_create(MPI_COMM_WORLD, 2, weights, periods, MPI_INFO_NULL, fitted, &grid);
  show("MPIX_Cart_weighted_create", grid, fitted);
  MPI_Finalize();
  return 0;
}
