/* SPDX-License-Identifier: Apache-2.0 */

/* Broadcasts as many bytes as the argument says, then rank 0 says on which host each rank runs. */

#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

static void broadcast(int num_bytes) {
  char* bytes = calloc((size_t)num_bytes + 1, 1);
  if (bytes == NULL) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Bcast(bytes, num_bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  free(bytes);
}

static void print_hosts(int rank, int num_ranks) {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length;
  MPI_Get_processor_name(name, &length);
  char(*names)[MPI_MAX_PROCESSOR_NAME] = malloc((size_t)num_ranks * sizeof name);
  if (names == NULL) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Gather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < num_ranks; ++i) {
    printf("rank %d on %s\n", i, names[i]);
  }
  free(names);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, num_ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  broadcast(argc > 1 ? atoi(argv[1]) : 0);
  print_hosts(rank, num_ranks);
  MPI_Finalize();
  return 0;
}
