/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The program that documents call ./app: processes of a grid that may be reordered talk to their
 * neighbours, broadcast, reduce and gather. It takes no notice of arguments. Compiled with
 * -DLATE_SECONDS=3, rank 2 comes so late to the first MPI_Allreduce. Exit code 1: a result was
 * wrong.
 */

#include <stdlib.h>
#include <time.h>

#include <mpi.h>

#ifndef LATE_SECONDS
#define LATE_SECONDS 0
#endif

enum { num_steps = 40, num_entries = 1024 };

static void exchange(MPI_Comm grid, int* own, int* other) {
  for (int dimension = 0; dimension < 2; ++dimension) {
    int below = 0;
    int above = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Cart_shift(grid, dimension, 1, &below, &above);
    MPI_Irecv(other, num_entries, MPI_INT, below, 0, grid, &request);
    MPI_Send(own, num_entries, MPI_INT, above, 0, grid);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static int is_wrong(int rank, int size) {
  int one = rank == 0;
  int sum = 0;
  MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 2) {
    struct timespec const late = {LATE_SECONDS, 0};
    nanosleep(&late, NULL);
  }
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum != size;
}

int main(int argc, char** argv) {
  int rank = 0;
  int size = 0;
  int dims[2] = {0, 0};
  int const periods[2] = {0, 0};
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  int* const own = malloc(num_entries * sizeof(int));
  int* const all = malloc((size_t)size * num_entries * sizeof(int));
  for (int i = 0; i < num_entries; ++i) {
    own[i] = rank;
  }
  int code = is_wrong(rank, size);
  for (int i = 0; i < num_steps; ++i) {
    exchange(grid, own, all);
    MPI_Allgather(own, num_entries, MPI_INT, all, num_entries, MPI_INT, MPI_COMM_WORLD);
    code |= all[num_entries * (size - 1)] != size - 1;
  }
  free(all);
  free(own);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return code;
}
