/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A plain MPI program with one call of each kind, that ends in the way its first argument says:
 * finish, exit (without MPI_Finalize), abort, after (calls MPI after MPI_Finalize), fork, spawn.
 * Exit code 1: a result was wrong.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mpi.h>

static int num_wrong = 0;

static void use(MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int* const all = malloc((size_t)size * sizeof(int));
  int* const counts = malloc((size_t)size * sizeof(int));
  int* const places = malloc((size_t)size * sizeof(int));
  for (int r = 0; r < size; ++r) {
    counts[r] = 1;
    places[r] = size - 1 - r;
  }
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
  num_wrong += all[size - 1] != size - 1;
  MPI_Allgatherv(&rank, 1, MPI_INT, all, counts, places, MPI_INT, comm);
  num_wrong += all[0] != size - 1;
  int message = rank == 0 ? 17 : 0;
  MPI_Bcast(&message, 1, MPI_INT, 0, comm);
  num_wrong += message != 17;
  free(all);
  free(counts);
  free(places);
}

/* One more process, over both intercommunicator and merged communicator. */
static void spawn(char* program) {
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  MPI_Comm other = parent;
  if (parent == MPI_COMM_NULL) {
    char* arguments[] = {"spawn", NULL};
    MPI_Comm_spawn(
        program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE
    );
  }
  MPI_Comm merged = MPI_COMM_NULL;
  MPI_Intercomm_merge(other, parent != MPI_COMM_NULL, &merged);
  use(merged);
  MPI_Comm_free(&merged);
  MPI_Comm_disconnect(&other);
}

static void end_of_child(void) {
  pid_t const child = fork();
  if (child == 0) {
    exit(0);
  }
  waitpid(child, NULL, 0);
}

int main(int argc, char** argv) {
  char const* const end = argc > 1 ? argv[1] : "finish";
  MPI_Init(&argc, &argv);
  use(MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(end, "exit") == 0) {
    exit(7);
  } else if (strcmp(end, "abort") == 0) {
    if (rank == 0) {
      MPI_Abort(MPI_COMM_WORLD, 5);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(end, "fork") == 0) {
    end_of_child();
  } else if (strcmp(end, "spawn") == 0) {
    spawn(argv[0]);
  }
  MPI_Finalize();
  if (strcmp(end, "after") == 0) {
    int is_finalized = 0;
    MPI_Finalized(&is_finalized);
    num_wrong += !is_finalized;
    MPI_Bcast(&rank, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  return num_wrong > 0;
}
