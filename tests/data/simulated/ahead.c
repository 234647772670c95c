/* SPDX-License-Identifier: Apache-2.0 */

/* Calls that follow each other with nothing between them, so that ranks run ahead of each other.
   Usage: ahead bcast|scan NUMBER_OF_DOUBLES TIMES. Prints how long the loop took until the last
   rank was done, in seconds. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

static void check(int is_right) {
  if (!is_right) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  check(argc == 4);
  int const is_scan = strcmp(argv[1], "scan") == 0;
  int const count = atoi(argv[2]);
  int const times = atoi(argv[3]);
  double* const own = calloc((size_t)count, sizeof(double));
  double* const result = calloc((size_t)count, sizeof(double));
  double const start = MPI_Wtime();
  for (int i = 0; i < times; ++i) {
    own[0] = i + rank;
    if (is_scan) {
      MPI_Scan(own, result, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      check(result[0] == (rank + 1) * (double)i + rank * (rank + 1) / 2);
    } else {
      MPI_Bcast(own, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      check(own[0] == i);
    }
  }
  double seconds = MPI_Wtime() - start;
  double slowest = 0;
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%.12f\n", slowest);
  }
  free(own);
  free(result);
  MPI_Finalize();
  return 0;
}
