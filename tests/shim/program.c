/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A plain MPI program with one call of each kind, or as many as its second argument says, that ends
 * in the way its first argument says: finish, exit (without MPI_Finalize), abort, after (calls MPI
 * after MPI_Finalize), fork, spawn, handler (MPI_Finalize in a handler of exit()). Exit code 1: a
 * result was wrong.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mpi.h>

static int num_wrong = 0;

static void reduce(MPI_Comm comm, int rank, int size, int const* counts) {
  int const one = 1;
  int sum = 0;
  int* const ones = malloc((size_t)size * sizeof(int));
  for (int r = 0; r < size; ++r) {
    ones[r] = 1;
  }
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  num_wrong += sum != size;
  MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, comm);
  num_wrong += sum != size;
  MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  num_wrong += sum != rank + 1;
  MPI_Exscan(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  num_wrong += rank > 0 && sum != rank;
  MPI_Reduce_scatter(ones, &sum, counts, MPI_INT, MPI_SUM, comm);
  num_wrong += sum != size;
  MPI_Reduce_scatter_block(ones, &sum, 1, MPI_INT, MPI_SUM, comm);
  num_wrong += sum != size;
  free(ones);
}

/* `places` is a permutation. */
static void exchange(MPI_Comm comm, int rank, int size, int const* counts, int const* places) {
  int* const all = malloc((size_t)size * sizeof(int));
  int* const other = malloc((size_t)size * sizeof(int));
  int* const in_bytes = malloc((size_t)size * sizeof(int));
  MPI_Datatype* const types = malloc((size_t)size * sizeof(MPI_Datatype));
  for (int r = 0; r < size; ++r) {
    all[r] = 100 * rank + r;
    in_bytes[r] = places[r] * (int)sizeof(int);
    types[r] = MPI_INT;
  }
  int part = -1;
  MPI_Alltoall(all, 1, MPI_INT, other, 1, MPI_INT, comm);
  num_wrong += other[size - 1] != 100 * (size - 1) + rank;
  MPI_Alltoallv(all, counts, places, MPI_INT, other, counts, places, MPI_INT, comm);
  num_wrong += other[0] != 100 * (size - 1) + places[rank];
  MPI_Alltoallw(all, counts, in_bytes, types, other, counts, in_bytes, types, comm);
  num_wrong += other[0] != 100 * (size - 1) + places[rank];
  MPI_Gather(&rank, 1, MPI_INT, other, 1, MPI_INT, 0, comm);
  num_wrong += rank == 0 && other[size - 1] != size - 1;
  MPI_Gatherv(&rank, 1, MPI_INT, other, counts, places, MPI_INT, 0, comm);
  num_wrong += rank == 0 && other[0] != size - 1;
  MPI_Scatter(all, 1, MPI_INT, &part, 1, MPI_INT, 0, comm);
  num_wrong += part != rank;
  MPI_Scatterv(all, counts, places, MPI_INT, &part, 1, MPI_INT, 0, comm);
  num_wrong += part != places[rank];
  free(all);
  free(other);
  free(in_bytes);
  free(types);
}

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
  reduce(comm, rank, size, counts);
  exchange(comm, rank, size, counts, places);
  MPI_Barrier(comm);
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

static void finalize(void) {
  MPI_Finalize();
}

int main(int argc, char** argv) {
  char const* const end = argc > 1 ? argv[1] : "finish";
  if (strcmp(end, "handler") == 0) {
    atexit(finalize);
  }
  MPI_Init(&argc, &argv);
  int const times = argc > 2 ? atoi(argv[2]) : 1;
  for (int i = 0; i < times; ++i) {
    use(MPI_COMM_WORLD);
  }
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
  } else if (strcmp(end, "handler") == 0) {
    return num_wrong > 0;
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
