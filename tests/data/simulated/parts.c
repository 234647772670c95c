/* SPDX-License-Identifier: Apache-2.0 */

/* All ranks but the first NUMBER_OF_IDLE send each other parts; idle ranks make the same calls and
   have nothing to send or receive.
   Usage: parts NUMBER_OF_IDLE BYTES TIMES. Prints how long a call took until the last rank was
   done, in seconds, on the average. */

#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

static void check(int is_right) {
  if (!is_right) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  int rank = 0;
  int num_ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  check(argc == 4);
  int const num_idle = atoi(argv[1]);
  int const bytes = atoi(argv[2]);
  int const times = atoi(argv[3]);
  int* const counts = calloc((size_t)num_ranks, sizeof(int));
  int* const places = calloc((size_t)num_ranks, sizeof(int));
  for (int i = 0; i < num_ranks; ++i) {
    counts[i] = rank < num_idle || i < num_idle ? 0 : bytes;
    places[i] = i * bytes;
  }
  char* const own = calloc((size_t)num_ranks, (size_t)bytes);
  char* const parts = calloc((size_t)num_ranks, (size_t)bytes);
  double const start = MPI_Wtime();
  for (int i = 0; i < times; ++i) {
    MPI_Alltoallv(own, counts, places, MPI_CHAR, parts, counts, places, MPI_CHAR, MPI_COMM_WORLD);
  }
  double const seconds = (MPI_Wtime() - start) / times;
  double slowest = 0;
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%.12f\n", slowest);
  }
  free(own);
  free(parts);
  free(counts);
  free(places);
  MPI_Finalize();
  return 0;
}
