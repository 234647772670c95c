/* SPDX-License-Identifier: Apache-2.0 */

/* The same call in all its forms, for behaviour.py to count. */

#include <stdio.h>

#include <mpi.h>

int main(int argc, char** argv) {
  int rank = 0;
  int value = 0;
  int sum = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  value = rank == 0 ? 1 : -1;
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  sum += value;
  value = rank == 1 ? 2 : -1;
  MPI_Bcast_c(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
  sum += value;
  value = rank == 0 ? 4 : -1;
  MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  sum += value;
  value = rank == 1 ? 8 : -1;
  MPI_Ibcast_c(&value, 1, MPI_INT, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  sum += value;
  {
    /* A type that was made with large counts. */
    MPI_Count const lengths[] = {1, 0};
    MPI_Count const places[] = {1, 0};
    int values[] = {0, 0, 0, 0};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_indexed_c(2, lengths, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    values[1] = rank == 2 ? 16 : -1;
    values[2] = -1;
    MPI_Bcast(values, 1, type, 2, MPI_COMM_WORLD);
    sum += values[1] + values[2] + 1;
    MPI_Type_free(&type);
  }
  if (sum != 31) {
    fprintf(stderr, "rank %d: expected 31, got %d\n", rank, sum);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return 0;
}
