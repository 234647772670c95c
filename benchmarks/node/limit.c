/* SPDX-License-Identifier: Apache-2.0 */

#include "limit.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statistics.h"

#include <mpi.h>

enum { line_bytes = 64, num_rounds = 2000, num_samples = 15, bytes_of_a_sample = 1 << 20 };

/* A flag on a line of its own, and of the next one, which may be fetched with it. */
struct flag {
  _Alignas(2 * line_bytes) atomic_uint number;
};

/* What two ranks share. Each flag has one writer. */
struct shared {
  struct flag of_rank[2];
};

static void wait_for(struct flag* flag, unsigned number) {
  while (atomic_load_explicit(&flag->number, memory_order_acquire) != number) {
  }
}

/* Microseconds from one rank to the other: half of there and back. */
static double line_us(struct shared* shared, int rank) {
  static unsigned number = 0;
  struct flag* const own = &shared->of_rank[rank];
  struct flag* const other = &shared->of_rank[1 - rank];
  double const start = MPI_Wtime();
  for (int i = 0; i < num_rounds; ++i) {
    ++number;
    if (rank == 1) {
      wait_for(other, number);
    }
    atomic_store_explicit(&own->number, number, memory_order_release);
    if (rank == 0) {
      wait_for(other, number);
    }
  }
  return (MPI_Wtime() - start) * 1e6 / num_rounds / 2;
}

/* Microseconds of a copy. */
static double copy_us(char* to, char const* from, int bytes) {
  int const num_copies = bytes >= bytes_of_a_sample ? 1 : bytes_of_a_sample / bytes;
  double const start = MPI_Wtime();
  for (int i = 0; i < num_copies; ++i) {
    memcpy(to, from, (size_t)bytes);
    /* A copy that nobody could read would be left out. */
    __asm__ volatile("" : : "r"(to) : "memory");
  }
  return (MPI_Wtime() - start) * 1e6 / num_copies;
}

static void measure_line(struct shared* shared, int rank) {
  double times[num_samples];
  for (int i = -1; i < num_samples; ++i) {
    times[i < 0 ? 0 : i] = rank < 2 ? line_us(shared, rank) : 0;
  }
  if (rank == 0) {
    printf("{\"limit\": \"line\", \"us\": %.5f}\n", median(times, num_samples));
    fflush(stdout);
  }
}

/* Rank 0 writes the memory, and rank 1 reads it, while nobody else does anything. */
static void measure_copy(char* from, char* to, int bytes, int rank) {
  double times[num_samples];
  if (rank == 0) {
    memset(from, 1, (size_t)bytes);
  }
  PMPI_Barrier(MPI_COMM_WORLD);
  for (int i = -1; rank == 1 && i < num_samples; ++i) {
    times[i < 0 ? 0 : i] = copy_us(to, from, bytes);
  }
  double middle = rank == 1 ? median(times, num_samples) : 0;
  PMPI_Bcast(&middle, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("{\"limit\": \"copy\", \"bytes\": %d, \"us\": %.5f}\n", bytes, middle);
    fflush(stdout);
  }
}

void measure_limits(int const* sizes, int num_sizes) {
  int rank = 0;
  int most = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < num_sizes; ++i) {
    most = sizes[i] > most ? sizes[i] : most;
  }
  MPI_Win window;
  char* base = NULL;
  MPI_Aint const own = rank == 0 ? (MPI_Aint)(2 * sizeof(struct shared)) + most : 0;
  MPI_Win_allocate_shared(own, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  MPI_Aint size = 0;
  int unit = 0;
  MPI_Win_shared_query(window, 0, &size, &unit, &base);
  size_t const past = (size_t)base % sizeof(struct shared);
  struct shared* const shared =
      (struct shared*)(void*)(base + (past == 0 ? 0 : sizeof(struct shared) - past));
  if (rank == 0) {
    memset(shared, 0, sizeof *shared);
  }
  PMPI_Barrier(MPI_COMM_WORLD);
  measure_line(shared, rank);
  char* const copy = malloc((size_t)most);
  if (copy == NULL) {
    fprintf(stderr, "collectives: expected room for %d bytes, found none\n", most);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  memset(copy, 0, (size_t)most);
  for (int i = 0; i < num_sizes; ++i) {
    if (sizes[i] > 0) {
      measure_copy((char*)(shared + 1), copy, sizes[i], rank);
    }
  }
  free(copy);
  MPI_Win_free(&window);
}
