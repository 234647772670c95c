/* SPDX-License-Identifier: Apache-2.0 */

/* Jacobi iteration for a dense, diagonally dominant system A x = b. Ranks own blocks of rows and
   gather the whole iterate after each step: the program is dominated by MPI_Allgather.
   Usage: jacobi [rows per rank] [iterations] */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

/* A: n on the diagonal, 1 / (1 + |i - j|) elsewhere. b: A times the vector (1, ..., 1). */
static double element(int n, int i, int j) {
  return i == j ? n : 1.0 / (1 + abs(i - j));
}

static void fill(int n, int first_row, int num_rows, double* a, double* b) {
  for (int i = 0; i < num_rows; ++i) {
    b[i] = 0;
    for (int j = 0; j < n; ++j) {
      a[i * n + j] = element(n, first_row + i, j);
      b[i] += a[i * n + j];
    }
  }
}

static void step(
    int n,
    int first_row,
    int num_rows,
    double const* a,
    double const* b,
    double const* x,
    double* own
) {
  for (int i = 0; i < num_rows; ++i) {
    double sum = b[i];
    for (int j = 0; j < n; ++j) {
      sum -= a[i * n + j] * x[j];
    }
    own[i] = x[first_row + i] + sum / n;
  }
}

static double largest_error(int n, double const* x) {
  double largest = 0;
  for (int j = 0; j < n; ++j) {
    largest = fmax(largest, fabs(x[j] - 1));
  }
  return largest;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  int size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int const num_rows = argc > 1 ? atoi(argv[1]) : 32;
  int const num_iterations = argc > 2 ? atoi(argv[2]) : 20000;
  if (num_rows < 1 || num_iterations < 1) {
    fprintf(stderr, "jacobi: rows per rank and iterations must be at least 1\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int const n = num_rows * size;
  double* a = malloc(sizeof(double) * (size_t)num_rows * (size_t)n);
  double* b = malloc(sizeof(double) * (size_t)num_rows);
  double* own = malloc(sizeof(double) * (size_t)num_rows);
  double* x = calloc((size_t)n, sizeof(double));
  if (!a || !b || !own || !x) {
    fprintf(stderr, "jacobi: no memory for %d rows of %d\n", num_rows, n);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  fill(n, rank * num_rows, num_rows, a, b);
  for (int k = 0; k < num_iterations; ++k) {
    step(n, rank * num_rows, num_rows, a, b, x, own);
    MPI_Allgather(own, num_rows, MPI_DOUBLE, x, num_rows, MPI_DOUBLE, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    double const error = largest_error(n, x);
    printf(
        "%d unknowns, %d iterations: %s\n",
        n,
        num_iterations,
        error < 1e-9 ? "converged" : "not converged"
    );
  }
  free(x);
  free(own);
  free(b);
  free(a);
  MPI_Finalize();
  return 0;
}
