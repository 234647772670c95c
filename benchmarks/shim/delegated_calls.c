/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What one MPI call costs that is handed over to the MPI library, and one message that is counted.
 * Knows nothing of Espalier.
 *
 * Usage: delegated_calls time <num_blocks> <calls_per_block>   one JSON line from rank 0
 *        delegated_calls count <num_calls>                     nothing; callgrind counts
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#define BUFFER_BYTES 65536

typedef void block_function(MPI_Comm comm, long num_calls);

static char contribution[BUFFER_BYTES];
static char result[2 * BUFFER_BYTES];

/* External, so that callgrind finds the name. */
void counted_bcast(MPI_Comm comm, long num_calls);
void counted_allgather(MPI_Comm comm, long num_calls);
void counted_ibcast(MPI_Comm comm, long num_calls);
void counted_waitall(long num_calls);
void counted_send(MPI_Comm comm, long num_calls);

void counted_bcast(MPI_Comm comm, long num_calls) {
  for (long i = 0; i < num_calls; ++i) {
    MPI_Bcast(contribution, 1, MPI_INT, 0, comm);
  }
}

void counted_allgather(MPI_Comm comm, long num_calls) {
  for (long i = 0; i < num_calls; ++i) {
    MPI_Allgather(contribution, 1, MPI_INT, result, 1, MPI_INT, comm);
  }
}

void counted_ibcast(MPI_Comm comm, long num_calls) {
  for (long i = 0; i < num_calls; ++i) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(contribution, 1, MPI_INT, 0, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

void counted_waitall(long num_calls) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[2];
  for (long i = 0; i < num_calls; ++i) {
    MPI_Waitall(2, requests, statuses);
  }
}

void counted_send(MPI_Comm comm, long num_calls) {
  for (long i = 0; i < num_calls; ++i) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(result, 1, MPI_INT, 0, 0, comm, &request);
    MPI_Send(contribution, 1, MPI_INT, 0, 0, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void large_allgather(MPI_Comm comm, long num_calls) {
  for (long i = 0; i < num_calls; ++i) {
    MPI_Allgather(contribution, BUFFER_BYTES, MPI_BYTE, result, BUFFER_BYTES, MPI_BYTE, comm);
  }
}

/* Shortest time of one call over all blocks, in nanoseconds. */
static double best_of(block_function* block, MPI_Comm comm, long num_blocks, long num_calls) {
  double best = 1e9;
  for (long i = 0; i < num_blocks; ++i) {
    MPI_Barrier(comm);
    double const start = MPI_Wtime();
    block(comm, num_calls);
    double const elapsed = MPI_Wtime() - start;
    best = elapsed < best ? elapsed : best;
  }
  return 1e9 * best / (double)num_calls;
}

static void measure(long num_blocks, long num_calls) {
  int rank = 0;
  int num_ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  double const self_bcast = best_of(counted_bcast, MPI_COMM_SELF, num_blocks, num_calls);
  double const self_allgather = best_of(counted_allgather, MPI_COMM_SELF, num_blocks, num_calls);
  double world_bcast = 0.0;
  double world_allgather = 0.0;
  double world_large = 0.0;
  if (num_ranks <= 2) {
    world_bcast = best_of(counted_bcast, MPI_COMM_WORLD, num_blocks, num_calls);
    world_allgather = best_of(counted_allgather, MPI_COMM_WORLD, num_blocks, num_calls / 10 + 1);
    world_large = best_of(large_allgather, MPI_COMM_WORLD, num_blocks, num_calls / 100 + 1);
  }
  if (rank == 0) {
    printf(
        "{\"self_bcast\": %.2f, \"self_allgather\": %.2f, \"world_bcast\": %.2f, "
        "\"world_allgather\": %.2f, \"world_allgather_64KiB\": %.2f}\n",
        self_bcast,
        self_allgather,
        world_bcast,
        world_allgather,
        world_large
    );
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 0;
  if (argc == 4 && strcmp(argv[1], "time") == 0) {
    measure(strtol(argv[2], NULL, 10), strtol(argv[3], NULL, 10));
  } else if (argc == 3 && strcmp(argv[1], "count") == 0) {
    /* What happens once, on the first call, is not counted. */
    MPI_Bcast(contribution, 1, MPI_INT, 0, MPI_COMM_SELF);
    MPI_Allgather(contribution, 1, MPI_INT, result, 1, MPI_INT, MPI_COMM_SELF);
    counted_ibcast(MPI_COMM_SELF, 1);
    counted_waitall(1);
    counted_send(MPI_COMM_SELF, 1);
    counted_bcast(MPI_COMM_SELF, strtol(argv[2], NULL, 10));
    counted_allgather(MPI_COMM_SELF, strtol(argv[2], NULL, 10));
    counted_ibcast(MPI_COMM_SELF, strtol(argv[2], NULL, 10));
    counted_waitall(strtol(argv[2], NULL, 10));
    counted_send(MPI_COMM_SELF, strtol(argv[2], NULL, 10));
  } else {
    fprintf(stderr, "delegated_calls: expected 'time BLOCKS CALLS' or 'count CALLS'\n");
    code = 2;
  }
  MPI_Finalize();
  return code;
}
