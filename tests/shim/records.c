/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A plain MPI program whose operator takes the whole vector for one record, which the standard does
 * not allow, but MPI libraries let run. Exit code 1: the operator got a part of it, or a result was
 * wrong.
 */

#include <mpi.h>

#define NUM_VALUES 60
#define NUM_CALLS 20

static int num_wrong = 0;

/* The first value counts, the others are the largest. */
static void merge(void* in, void* result, int* count, MPI_Datatype* type) {
  (void)type;
  num_wrong += *count != NUM_VALUES;
  double const* const other = in;
  double* const own = result;
  own[0] += other[0];
  for (int i = 1; i < *count; ++i) {
    own[i] = other[i] > own[i] ? other[i] : own[i];
  }
}

static void check(double const* found, int num_ranks) {
  num_wrong += found[0] != num_ranks;
  for (int i = 1; i < NUM_VALUES; ++i) {
    num_wrong += found[i] != (num_ranks - 1) * i;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int num_ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(merge, 1, &op);
  double own[NUM_VALUES] = {1};
  for (int i = 1; i < NUM_VALUES; ++i) {
    own[i] = rank * i;
  }
  double all[NUM_VALUES];
  for (int i = 0; i < NUM_CALLS; ++i) {
    MPI_Allreduce(own, all, NUM_VALUES, MPI_DOUBLE, op, MPI_COMM_WORLD);
    check(all, num_ranks);
    MPI_Reduce(own, all, NUM_VALUES, MPI_DOUBLE, op, 0, MPI_COMM_WORLD);
    if (rank == 0) {
      check(all, num_ranks);
    }
    MPI_Scan(own, all, NUM_VALUES, MPI_DOUBLE, op, MPI_COMM_WORLD);
    check(all, rank + 1);
  }
  MPI_Op_free(&op);
  MPI_Finalize();
  return num_wrong == 0 ? 0 : 1;
}
