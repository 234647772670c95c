/* SPDX-License-Identifier: Apache-2.0 */

/*
 * All ranks but the last wait in MPI_Allgather; that one comes some seconds later, or ends the
 * program instead. Arguments: seconds; world, or rows (a communicator of all ranks, backwards);
 * come, or abort. Exit code 1: a result was wrong.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

static void wait_for(double seconds) {
  struct timespec time;
  time.tv_sec = (time_t)seconds;
  time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
  nanosleep(&time, NULL);
}

int main(int argc, char** argv) {
  double const seconds = argc > 1 ? atof(argv[1]) : 3;
  int const backwards = argc > 2 && strcmp(argv[2], "rows") == 0;
  int const aborts = argc > 3 && strcmp(argv[3], "abort") == 0;
  int world_rank = 0;
  int rank = 0;
  int size = 0;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  if (backwards) {
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &comm);
    MPI_Comm_set_name(comm, "rows");
  }
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int message = 1;
  MPI_Bcast(&message, 1, MPI_INT, 0, comm);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(&message, 1, MPI_INT, 0, comm);
  if (world_rank == size - 1) {
    wait_for(seconds);
    if (aborts) {
      MPI_Abort(MPI_COMM_WORLD, 5);
    }
  }
  int* const all = malloc((size_t)size * sizeof(int));
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
  int const is_wrong = all[size - 1] != size - 1;
  free(all);
  if (backwards) {
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  return is_wrong;
}
