/* SPDX-License-Identifier: Apache-2.0 */

/* Ends as its argument says; rank 2 does, or every rank. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

static char const* wanted = "";

static int is_wanted(char const* name) {
  return strcmp(wanted, name) == 0;
}

static void handle(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  printf("handled %d\n", *code);
}

static void handle_trouble(void) {
  int value = 0;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Bcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Errhandler_free(&handler);
}

static void cause_trouble(void) {
  int value = 0;
  if (is_wanted("deadlock")) {
    MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (is_wanted("crash")) {
    abort();
  } else if (is_wanted("MPI_Abort")) {
    MPI_Abort(MPI_COMM_WORLD, 5);
  } else if (is_wanted("exit")) {
    exit(3);
  } else if (is_wanted("missing")) {
    MPI_Comm_get_parent(NULL);
  } else if (is_wanted("error")) {
    MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  } else if (is_wanted("truncation")) {
    int two[2] = {0, 0};
    MPI_Send(two, 2, MPI_INT, 2, 0, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (is_wanted("survival")) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  } else if (is_wanted("refusal")) {
    MPI_Bcast(&value, -1, MPI_INT, 0, MPI_COMM_WORLD);
  } else if (is_wanted("handled")) {
    handle_trouble();
  } else if (is_wanted("loop")) {
    int volatile is_over = 0;
    while (!is_over) {
    }
  }
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  wanted = argc > 1 ? argv[1] : "";
  if (rank == 0) {
    printf("begun\n");
  }
  if (rank == 2) {
    cause_trouble();
  }
  MPI_Finalize();
  return 0;
}
