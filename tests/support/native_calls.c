/* SPDX-License-Identifier: Apache-2.0
 *
 * native_calls CALL BYTES REPETITIONS: makes one MPI call, with a result of so many bytes in all.
 */

#include <stdlib.h>
#include <string.h>

#include <mpi.h>

enum { most_ranks = 64 };

static char *from, *to;
static int num_ranks, counts[most_ranks], places[most_ranks], elements[most_ranks];

static void call(char const* name, int bytes) {
  MPI_Comm const world = MPI_COMM_WORLD;
  int const part = bytes / num_ranks;
  int const all = bytes / (int)sizeof(int);
  if (!strcmp(name, "barrier")) {
    MPI_Barrier(world);
  } else if (!strcmp(name, "bcast")) {
    MPI_Bcast(from, bytes, MPI_BYTE, 0, world);
  } else if (!strcmp(name, "scatter")) {
    MPI_Scatter(from, part, MPI_BYTE, to, part, MPI_BYTE, 0, world);
  } else if (!strcmp(name, "gather")) {
    MPI_Gather(from, part, MPI_BYTE, to, part, MPI_BYTE, 0, world);
  } else if (!strcmp(name, "allgather")) {
    MPI_Allgather(from, part, MPI_BYTE, to, part, MPI_BYTE, world);
  } else if (!strcmp(name, "allgatherv")) {
    MPI_Allgatherv(from, part, MPI_BYTE, to, counts, places, MPI_BYTE, world);
  } else if (!strcmp(name, "alltoall")) {
    MPI_Alltoall(from, part, MPI_BYTE, to, part, MPI_BYTE, world);
  } else if (!strcmp(name, "alltoallv")) {
    MPI_Alltoallv(from, counts, places, MPI_BYTE, to, counts, places, MPI_BYTE, world);
  } else if (!strcmp(name, "reduce")) {
    MPI_Reduce(from, to, all, MPI_INT, MPI_SUM, 0, world);
  } else if (!strcmp(name, "allreduce")) {
    MPI_Allreduce(from, to, all, MPI_INT, MPI_SUM, world);
  } else if (!strcmp(name, "reduce_scatter")) {
    MPI_Reduce_scatter(from, to, elements, MPI_INT, MPI_SUM, world);
  } else if (!strcmp(name, "reduce_scatter_block")) {
    MPI_Reduce_scatter_block(from, to, elements[0], MPI_INT, MPI_SUM, world);
  } else if (!strcmp(name, "scan")) {
    MPI_Scan(from, to, all, MPI_INT, MPI_SUM, world);
  } else if (!strcmp(name, "exscan")) {
    MPI_Exscan(from, to, all, MPI_INT, MPI_SUM, world);
  } else {
    MPI_Abort(world, 2);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  int const bytes = atoi(argv[2]);
  from = calloc(1, (size_t)bytes + 64);
  to = calloc(1, (size_t)bytes + 64);
  for (int rank = 0; rank < num_ranks; ++rank) {
    counts[rank] = bytes / num_ranks;
    places[rank] = rank * counts[rank];
    elements[rank] = counts[rank] / (int)sizeof(int);
  }
  for (int i = 0; i < atoi(argv[3]); ++i) {
    call(argv[1], bytes);
  }
  free(from);
  free(to);
  return MPI_Finalize();
}
