/* SPDX-License-Identifier: Apache-2.0 */

/* Conway's Game of Life on a torus. A cell needs all eight cells around it, so each process
   exchanges a row or a column with four neighbours, and one cell with the four behind its corners.
   A glider crosses borders and corners, and is where it began after 64 generations. */

#include <stdio.h>
#include <string.h>

#include <espalier.h>

#include <mpi.h>

enum { width = 8, num_generations = 64, num_neighbors = 8 };

/* The cells of this process, with a layer of those of others around them. */
static int cells[width + 2][width + 2];

/* Where a block begins along one dimension. What is sent lies at the border in this direction, and
   what comes lies beyond the opposite one. */
static int begin(int step, int is_sent) {
  if (step == 0) {
    return 1;
  }
  if (is_sent) {
    return step < 0 ? 1 : width;
  }
  return step < 0 ? width + 1 : 0;
}

static MPI_Datatype block(int const offset[2], int is_sent) {
  int const sizes[2] = {width + 2, width + 2};
  int const extents[2] = {offset[0] == 0 ? width : 1, offset[1] == 0 ? width : 1};
  int const begins[2] = {begin(offset[0], is_sent), begin(offset[1], is_sent)};
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(2, sizes, extents, begins, MPI_ORDER_C, MPI_INT, &made);
  MPI_Type_commit(&made);
  return made;
}

static espalier_request* plan_halo(espalier_neighborhood* all8, int const offsets[][2]) {
  int ones[num_neighbors];
  MPI_Aint zeros[num_neighbors] = {0};
  MPI_Datatype sent[num_neighbors];
  MPI_Datatype received[num_neighbors];
  espalier_request* halo = NULL;
  for (int k = 0; k < num_neighbors; ++k) {
    ones[k] = 1;
    sent[k] = block(offsets[k], 1);
    received[k] = block(offsets[k], 0);
  }
  espalier_neighbor_alltoallw_init(
      cells, ones, zeros, sent, cells, ones, zeros, received, all8, &halo
  );
  for (int k = 0; k < num_neighbors; ++k) {
    MPI_Type_free(&sent[k]);
    MPI_Type_free(&received[k]);
  }
  return halo;
}

static int is_alive_next(int row, int column) {
  int sum = 0;
  for (int i = row - 1; i <= row + 1; ++i) {
    for (int j = column - 1; j <= column + 1; ++j) {
      sum += cells[i][j];
    }
  }
  return sum == 3 || (sum == 4 && cells[row][column] != 0);
}

static void advance(void) {
  int next[width + 2][width + 2] = {{0}};
  for (int row = 1; row <= width; ++row) {
    for (int column = 1; column <= width; ++column) {
      next[row][column] = is_alive_next(row, column);
    }
  }
  memcpy(cells, next, sizeof cells);
}

static void count_cells(int begun[width + 2][width + 2], int counts[2]) {
  counts[0] = counts[1] = 0;
  for (int row = 1; row <= width; ++row) {
    for (int column = 1; column <= width; ++column) {
      counts[0] += cells[row][column];
      counts[1] += cells[row][column] != 0 && begun[row][column] != 0;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int const offsets[num_neighbors][2] = {
      {-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}
  };
  int const rings[2] = {1, 1};
  int dims[2] = {0, 0};
  int begun[width + 2][width + 2];
  int counts[2];
  char text[512];
  int rank = 0;
  int num_ranks = 0;
  MPI_Comm grid = MPI_COMM_NULL;
  espalier_neighbor_options options = ESPALIER_NEIGHBOR_OPTIONS_INIT;
  espalier_neighborhood* all8 = NULL;

  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  MPI_Dims_create(num_ranks, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, rings, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  options.algorithm = "combining";
  espalier_neighborhood_create(grid, num_neighbors, &offsets[0][0], &options, &all8);
  espalier_request* halo = plan_halo(all8, offsets);
  espalier_explain(halo, text, (int)sizeof text);

  if (rank == 0) {
    printf("%s\n", text);
    cells[1][2] = cells[2][3] = cells[3][1] = cells[3][2] = cells[3][3] = 1;
  }
  memcpy(begun, cells, sizeof cells);
  for (int generation = 0; generation < num_generations; ++generation) {
    espalier_request_start(halo);
    espalier_request_wait(halo);
    advance();
  }
  count_cells(begun, counts);
  if (rank == 0) {
    printf("%d cells are alive, %d of them where the glider began\n", counts[0], counts[1]);
  }
  espalier_request_free(&halo);
  espalier_neighborhood_free(&all8);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
