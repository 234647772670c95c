/* SPDX-License-Identifier: Apache-2.0 */

/* Calls functions with large counts if somebody has them, as mpi4py does; weak references tell. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <malloc.h>

#include <mpi.h>

#pragma weak MPI_Allreduce_c
#pragma weak MPI_Alltoallv_c
#pragma weak MPI_Gatherv_c
#pragma weak MPI_Iallgatherv_c
#pragma weak MPI_Reduce_scatter_c
#if MPI_VERSION < 4
int MPI_Allreduce_c(void const*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
int MPI_Alltoallv_c(
    void const*,
    MPI_Count const*,
    MPI_Aint const*,
    MPI_Datatype,
    void*,
    MPI_Count const*,
    MPI_Aint const*,
    MPI_Datatype,
    MPI_Comm
);
int MPI_Gatherv_c(
    void const*,
    MPI_Count,
    MPI_Datatype,
    void*,
    MPI_Count const*,
    MPI_Aint const*,
    MPI_Datatype,
    int,
    MPI_Comm
);
int MPI_Iallgatherv_c(void const*, MPI_Count, MPI_Datatype, void*, MPI_Count const*, MPI_Aint const*, MPI_Datatype, MPI_Comm, MPI_Request*);
int MPI_Reduce_scatter_c(void const*, void*, MPI_Count const*, MPI_Datatype, MPI_Op, MPI_Comm);
#endif

enum { most_ranks = 16 };

static int rank;
static int num_ranks;

static void require(int holds, char const* what) {
  if (!holds) {
    fprintf(stderr, "rank %d: wrong result of %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void check_lists(void) {
  MPI_Count counts[most_ranks];
  MPI_Aint places[most_ranks];
  int all[most_ranks];
  int const own = 10 * rank;
  MPI_Request request = MPI_REQUEST_NULL;
  for (int i = 0; i < num_ranks; ++i) {
    counts[i] = 1;
    places[i] = num_ranks - 1 - i;
    all[i] = -1;
  }
  MPI_Iallgatherv_c(&own, 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < num_ranks; ++i) {
    require(all[i] == 10 * (num_ranks - 1 - i), "iallgatherv");
    all[i] = 100 * rank + i;
  }
  /* What is not significant may be anything: nobody may read it. */
  uintptr_t const volatile first_page = 8; /* compilers warn of such an address if they see it */
  MPI_Count const* const nowhere = (MPI_Count const*)first_page;
  MPI_Aint const* const no_places = (MPI_Aint const*)first_page;
  MPI_Alltoallv_c(
      MPI_IN_PLACE,
      nowhere,
      no_places,
      MPI_DATATYPE_NULL,
      all,
      counts,
      places,
      MPI_INT,
      MPI_COMM_WORLD
  );
  for (int i = 0; i < num_ranks; ++i) {
    require(all[i] == 100 * (num_ranks - 1 - i) + num_ranks - 1 - rank, "alltoallv");
    all[i] = -1;
  }
  MPI_Gatherv_c(
      &own,
      1,
      MPI_INT,
      all,
      rank == 0 ? counts : nowhere,
      rank == 0 ? places : no_places,
      MPI_INT,
      0,
      MPI_COMM_WORLD
  );
  for (int i = 0; rank == 0 && i < num_ranks; ++i) {
    require(all[i] == 10 * (num_ranks - 1 - i), "gatherv");
  }
}

/* Rank 0 is a group, all others are one: each group has the sum of the other one, in parts for its
   own ranks. */
static void check_groups(void) {
  if (num_ranks == 1) {
    return;
  }
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm both = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &own);
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 0, &both);
  int const length = num_ranks - 1;
  int const num_own = rank == 0 ? 1 : length;
  MPI_Count* const counts = malloc((size_t)num_own * sizeof *counts);
  int values[most_ranks];
  int sums[most_ranks];
  for (int i = 0; i < num_own; ++i) {
    counts[i] = length / num_own;
  }
  for (int i = 0; i < length; ++i) {
    values[i] = 100 * rank + i;
    sums[i] = -1;
  }
  MPI_Reduce_scatter_c(values, sums, counts, MPI_INT, MPI_SUM, both);
  if (rank == 0) {
    for (int i = 0; i < length; ++i) {
      require(sums[i] == 100 * length * num_ranks / 2 + length * i, "reduce_scatter of others");
    }
  } else {
    require(sums[0] == rank - 1, "reduce_scatter of rank 0");
  }
  free(counts);
  MPI_Comm_free(&both);
  MPI_Comm_free(&own);
}

/* Calls with lists that never come again, and nothing else. */
static void call_with_lists(int num_calls) {
  static int shift = 0;
  MPI_Count counts[most_ranks] = {0};
  MPI_Aint places[most_ranks];
  int in = 0;
  int out = 0;
  for (int i = 0; i < num_calls; ++i) {
    ++shift;
    for (int j = 0; j < num_ranks; ++j) {
      places[j] = shift + j;
    }
    MPI_Alltoallv_c(&in, counts, places, MPI_INT, &out, counts, places, MPI_INT, MPI_COMM_WORLD);
  }
}

/* Lists of a call that has ended are kept by nobody. */
static void check_memory(void) {
  enum { num_calls = 4000, bytes_per_call = 32 };

  call_with_lists(num_calls / 10);
  size_t const before = mallinfo2().uordblks;
  call_with_lists(num_calls);
  require(mallinfo2().uordblks < before + num_calls * bytes_per_call, "lists that were given back");
}

int main(int argc, char** argv) {
  int sum = -1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  int const is_there = MPI_Allreduce_c != NULL;
  if (is_there) {
    MPI_Allreduce_c(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    require(sum == num_ranks * (num_ranks - 1) / 2, "allreduce");
    check_lists();
    check_groups();
    check_memory();
  }
  if (rank == 0) {
    puts(is_there ? "large counts" : "no large counts");
  }
  MPI_Finalize();
  return 0;
}
