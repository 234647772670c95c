/* SPDX-License-Identifier: Apache-2.0 */

/* Ranks of the first half send a megabyte each to ranks of the second half, or all gather, on
   MPI_COMM_WORLD or on a duplicate of it.
   Usage: exchange senders NUMBER | gather NUMBER_OF_DOUBLES [TIMES] | duplicate NUMBER_OF_DOUBLES
   [TIMES]. Prints what the clock of rank 0 says. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

enum { message_bytes = 1000000 };

static void send_to_other_half(int rank, int num_ranks, int num_senders) {
  char* const buffer = calloc(message_bytes, 1);
  int const half = num_ranks / 2;
  if (rank < num_senders) {
    MPI_Send(buffer, message_bytes, MPI_CHAR, rank + half, 0, MPI_COMM_WORLD);
  } else if (rank >= half && rank < half + num_senders) {
    MPI_Recv(buffer, message_bytes, MPI_CHAR, rank - half, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  free(buffer);
}

static void gather(MPI_Comm comm, int rank, int num_ranks, int count) {
  double* const own = calloc((size_t)count, sizeof(double));
  double* const all = calloc((size_t)count * (size_t)num_ranks, sizeof(double));
  own[0] = rank;
  MPI_Allgather(own, count, MPI_DOUBLE, all, count, MPI_DOUBLE, comm);
  for (int i = 0; i < num_ranks; ++i) {
    if (all[i * count] != i) {
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  free(own);
  free(all);
}

int main(int argc, char** argv) {
  int rank = 0;
  int num_ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  double const start = MPI_Wtime();
  if (argc > 2 && strcmp(argv[1], "senders") == 0) {
    send_to_other_half(rank, num_ranks, atoi(argv[2]));
  } else if (argc > 2) {
    MPI_Comm comm = MPI_COMM_WORLD;
    if (strcmp(argv[1], "duplicate") == 0) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    }
    int const times = argc > 3 ? atoi(argv[3]) : 1;
    for (int i = 0; i < times; ++i) {
      gather(comm, rank, num_ranks, atoi(argv[2]));
    }
    if (comm != MPI_COMM_WORLD) {
      MPI_Comm_free(&comm);
    }
  }
  if (rank == 0) {
    printf("%.12f\n", MPI_Wtime() - start);
  }
  MPI_Finalize();
  return 0;
}
