/* SPDX-License-Identifier: Apache-2.0 */

/* A communicator for a few calls, again and again: what is begun on one of them comes to no end.
   Usage: short_lived NUMBER CALLS NUMBER_OF_DOUBLES. Prints how long this took, in seconds. */

#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

static void check(int is_right) {
  if (!is_right) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void use(MPI_Comm comm, int num_calls, double const* own, double* sums, int count) {
  for (int i = 0; i < num_calls; ++i) {
    MPI_Allreduce(own, sums, count, MPI_DOUBLE, MPI_SUM, comm);
  }
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  check(argc == 4);
  int const number = atoi(argv[1]);
  int const count = atoi(argv[3]);
  double* const own = calloc((size_t)count, sizeof(double));
  double* const sums = calloc((size_t)count, sizeof(double));
  double const start = MPI_Wtime();
  for (int i = 0; i < number; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(comm, atoi(argv[2]), own, sums, count);
    MPI_Comm_free(&comm);
  }
  if (rank == 0) {
    printf("%.12f\n", MPI_Wtime() - start);
  }
  free(own);
  free(sums);
  MPI_Finalize();
  return 0;
}
