/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The same calls of few bytes again and again on 2 ranks, for callgrind to count the instructions
 * of rank 0: calls in which it does not wait for rank 1, as it makes fewer of them than it may be
 * ahead. Knows nothing of Espalier.
 *
 * Usage: node_repeated <num_blocks> <calls_per_block>
 *
 * A block is made on a communicator of its own, after as many calls that do not count.
 */

#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

enum { num_kinds = 5 };

static long in[2];
static long out[2];

/* External and not inlined, so that callgrind finds the names. */
#define COUNTED(kind, call)                                                                        \
  __attribute__((noinline)) void counted_##kind(MPI_Comm comm, long num_calls);                    \
  void counted_##kind(MPI_Comm comm, long num_calls) {                                             \
    for (long i = 0; i < num_calls; ++i) {                                                         \
      call;                                                                                        \
    }                                                                                              \
  }

COUNTED(bcast, MPI_Bcast(out, 1, MPI_LONG, 0, comm))
COUNTED(scatter, MPI_Scatter(in, 1, MPI_LONG, out, 1, MPI_LONG, 0, comm))
/* To rank 1: rank 0 sends. */
COUNTED(gather, MPI_Gather(in, 1, MPI_LONG, out, 1, MPI_LONG, 1, comm))
COUNTED(scan, MPI_Scan(in, out, 1, MPI_LONG, MPI_SUM, comm))
COUNTED(empty, MPI_Bcast(out, 0, MPI_LONG, 0, comm))

static void make_block(long num_calls) {
  void (*const kinds[num_kinds])(MPI_Comm, long) = {
      counted_bcast, counted_scatter, counted_gather, counted_scan, counted_empty
  };
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int kind = 0; kind < num_kinds; ++kind) {
    for (int i = 0; i < 2; ++i) {
      kinds[kind](comm, num_calls);
      MPI_Barrier(comm);
    }
  }
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  long const num_blocks = argc == 3 ? strtol(argv[1], NULL, 10) : 0;
  long const num_calls = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
  for (long i = 0; i < num_blocks; ++i) {
    make_block(num_calls);
  }
  MPI_Finalize();
  if (num_blocks <= 0 || num_calls <= 0) {
    fprintf(stderr, "node_repeated: expected <num_blocks> <calls_per_block>\n");
    return 2;
  }
  return 0;
}
