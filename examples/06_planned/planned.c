/* SPDX-License-Identifier: Apache-2.0 */

/* The largest eigenvalue of a matrix by power iteration. The matrix is dealt to the processes row
   by row; two collectives are planned once, one with an algorithm that the program names, and
   started in every step. */

#include <math.h>
#include <stdio.h>

#include <espalier.h>

#include <mpi.h>

enum { num_rows = 16, num_steps = 60 }; /* rows of one process */

/* The matrix of a chain of springs with one that is stiffer. */
static double entry(int row, int column) {
  if (row == column) {
    return row == 0 ? 5 : 2;
  }
  return row - column == 1 || column - row == 1 ? -1 : 0;
}

static double square(double const x[num_rows]) {
  double sum = 0;
  for (int i = 0; i < num_rows; ++i) {
    sum += x[i] * x[i];
  }
  return sum;
}

static void print_plan(espalier_request const* request) {
  char text[512];
  espalier_explain(request, text, sizeof text);
  printf("%s\n", text);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int num_ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  int const size = num_rows * num_ranks;
  double own[num_rows];
  double whole[num_rows * 64] = {0}; /* of at most 64 processes */
  double length = 0;
  for (int i = 0; i < num_rows; ++i) {
    own[i] = 1;
  }

  espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
  espalier_request* vector = NULL;
  espalier_request* sum = NULL;
  options.algorithm = "bruck";
  espalier_allgather_init(
      own, num_rows, MPI_DOUBLE, whole, num_rows, MPI_DOUBLE, MPI_COMM_WORLD, &options, &vector
  );
  espalier_allreduce_init(
      MPI_IN_PLACE, &length, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL, &sum
  );
  if (rank == 0) {
    print_plan(vector);
    print_plan(sum);
  }

  for (int step = 0; step < num_steps; ++step) {
    length = square(own);
    espalier_request_start(sum);
    espalier_request_start(vector);
    espalier_request_wait(vector);
    espalier_request_wait(sum);
    for (int i = 0; i < num_rows; ++i) {
      own[i] = 0;
      for (int j = 0; j < size; ++j) {
        own[i] += entry(num_rows * rank + i, j) * whole[j] / sqrt(length);
      }
    }
  }
  length = square(own);
  espalier_request_start(sum);
  espalier_request_wait(sum);
  if (rank == 0) {
    printf("largest eigenvalue %.6f\n", sqrt(length));
  }
  espalier_request_free(&vector);
  espalier_request_free(&sum);
  MPI_Finalize();
  return 0;
}
