/* SPDX-License-Identifier: Apache-2.0 */

/* Rank 0 hands out a table of squares, every rank answers with its own entry. */

#include <stdio.h>

#include <mpi.h>

enum { num_entries = 64 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int table[num_entries] = {0};
  for (int i = 0; rank == 0 && i < num_entries; ++i) {
    table[i] = i * i;
  }
  MPI_Bcast(table, num_entries, MPI_INT, 0, MPI_COMM_WORLD);
  int answers[num_entries] = {0};
  if (size <= num_entries) {
    MPI_Allgather(&table[rank], 1, MPI_INT, answers, 1, MPI_INT, MPI_COMM_WORLD);
  }
  for (int i = 0; rank == 0 && i < size && i < num_entries; ++i) {
    printf("rank %d answers %d\n", i, answers[i]);
  }
  MPI_Finalize();
  return 0;
}
