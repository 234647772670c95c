/* SPDX-License-Identifier: Apache-2.0 */

/* Makes one collective call over and over, and prints when the slowest rank had finished each call.
   All ranks begin a call at the same moment, as after computing for equally long: the simulator has
   barriers that take no message and no time.
   Usage: loop COLLECTIVE BYTES CALLS, where BYTES are those of a block of a rank, or of the vector
   where all ranks have the same one. Prints a line `NUMBER SECONDS` for each call, and in front of
   them `0 SECONDS`: what MPI_Init took, as the clock of the simulator begins at 0. */

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <simgrid/barrier.h>

#include <mpi.h>

struct buffers {
  double* send;
  double* receive;
  int bytes;
  int doubles;
};

typedef void make_call(struct buffers const* data);

static void allgather(struct buffers const* data) {
  MPI_Allgather(
      data->send, data->bytes, MPI_BYTE, data->receive, data->bytes, MPI_BYTE, MPI_COMM_WORLD
  );
}

static void allreduce(struct buffers const* data) {
  MPI_Allreduce(data->send, data->receive, data->doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void alltoall(struct buffers const* data) {
  MPI_Alltoall(
      data->send, data->bytes, MPI_BYTE, data->receive, data->bytes, MPI_BYTE, MPI_COMM_WORLD
  );
}

static void barrier(struct buffers const* data) {
  (void)data;
  MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(struct buffers const* data) {
  MPI_Bcast(data->send, data->bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void gather(struct buffers const* data) {
  MPI_Gather(
      data->send, data->bytes, MPI_BYTE, data->receive, data->bytes, MPI_BYTE, 0, MPI_COMM_WORLD
  );
}

static void reduce(struct buffers const* data) {
  MPI_Reduce(data->send, data->receive, data->doubles, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void reduce_scatter_block(struct buffers const* data) {
  MPI_Reduce_scatter_block(
      data->send, data->receive, data->doubles, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD
  );
}

static void scatter(struct buffers const* data) {
  MPI_Scatter(
      data->send, data->bytes, MPI_BYTE, data->receive, data->bytes, MPI_BYTE, 0, MPI_COMM_WORLD
  );
}

static make_call* find_call(char const* name) {
  static struct {
    char const* name;
    make_call* call;
  } const calls[] = {
      {"allgather", allgather},
      {"allreduce", allreduce},
      {"alltoall", alltoall},
      {"barrier", barrier},
      {"bcast", bcast},
      {"gather", gather},
      {"reduce", reduce},
      {"reduce_scatter_block", reduce_scatter_block},
      {"scatter", scatter},
  };

  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
    if (strcmp(calls[i].name, name) == 0) {
      return calls[i].call;
    }
  }
  return NULL;
}

/* Ranks live in one process, so an address means the same to all. */
static sg_bar_t make_common_start(int rank, int num_ranks) {
  sg_bar_t start = rank == 0 ? sg_barrier_init((unsigned)num_ranks) : NULL;
  if (rank > 0) {
    MPI_Recv(&start, sizeof(sg_bar_t), MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int other = 1; other < num_ranks && rank == 0; ++other) {
    MPI_Send(&start, sizeof(sg_bar_t), MPI_BYTE, other, 0, MPI_COMM_WORLD);
  }
  return start;
}

static void print_slowest(int rank, double start, double* seconds, int num_calls) {
  MPI_Reduce(
      rank == 0 ? MPI_IN_PLACE : seconds, seconds, num_calls, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD
  );
  if (rank == 0) {
    printf("0 %.12f\n", start);
  }
  for (int i = 0; i < num_calls && rank == 0; ++i) {
    printf("%d %.12f\n", i + 1, seconds[i]);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  make_call* const call = argc == 4 ? find_call(argv[1]) : NULL;
  if (call == NULL) {
    fputs("usage: loop COLLECTIVE BYTES CALLS\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  double const init_seconds = MPI_Wtime();
  int rank = 0;
  int num_ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  int const bytes = atoi(argv[2]);
  int const num_calls = atoi(argv[3]);
  size_t const blocks_bytes = (size_t)bytes * (size_t)num_ranks + 1;
  struct buffers const data = {
      calloc(blocks_bytes, 1), calloc(blocks_bytes, 1), bytes, bytes / (int)sizeof(double)
  };
  double* const seconds = calloc((size_t)num_calls, sizeof(double));
  sg_bar_t const common_start = make_common_start(rank, num_ranks);
  sg_barrier_wait(common_start);
  double const start = MPI_Wtime();
  for (int i = 0; i < num_calls; ++i) {
    sg_barrier_wait(common_start);
    call(&data);
    seconds[i] = MPI_Wtime() - start;
  }
  print_slowest(rank, init_seconds, seconds, num_calls);
  free(seconds);
  free(data.receive);
  free(data.send);
  MPI_Finalize();
  return 0;
}
