/* SPDX-License-Identifier: Apache-2.0 */

/* A program with planned collectives that are asked to be native. It may have Espalier preloaded.
 */

#include <stdio.h>

#include "include/espalier_planned.h"

#include <mpi.h>

enum { num_starts = 5 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int num_ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
  options.algorithm = "native";
  int const mine = rank + 1;
  int sum = 0;
  espalier_request* request = NULL;
  espalier_allreduce_init(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &options, &request);
  int num_wrong = 0;
  for (int i = 0; i < num_starts; ++i) {
    sum = 0;
    espalier_request_start(request);
    espalier_request_wait(request);
    num_wrong += sum == num_ranks * (num_ranks + 1) / 2 ? 0 : 1;
  }
  if (rank == 0) {
    printf("%s, %d wrong\n", espalier_request_algorithm(request), num_wrong);
  }
  espalier_request_free(&request);
  MPI_Finalize();
  return 0;
}
