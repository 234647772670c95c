/* SPDX-License-Identifier: Apache-2.0 */

/* C = A B with matrices whose blocks are dealt to a grid of processes, as SUMMA multiplies them: in
   step k the owners of column k of A and of row k of B hand their blocks to whoever needs them. The
   program names blocks; which processes take part follows from them. While one step is computed,
   the blocks of the next one are under way. */

#include <math.h>
#include <stdio.h>

#include <espalier_array.h>

#include <mpi.h>

enum { b = 4, num_blocks = 6, n = b * num_blocks, num_requests = 2 * num_blocks };

static espalier_team* team;
static char* segment;
static int position[2], grid[2];

/* An array of blocks of b x b, behind those before. */
static espalier_array* make_array(int rows, int columns, uint64_t* end) {
  espalier_array* made = NULL;
  espalier_distribution blocks = ESPALIER_DISTRIBUTION_INIT;
  uint64_t num_bytes = 0;
  blocks.ndims = 2;
  blocks.extents[0] = rows * b;
  blocks.extents[1] = columns * b;
  for (int dim = 0; dim < 2; ++dim) {
    blocks.block[dim] = b;
    blocks.grid[dim] = grid[dim];
  }
  espalier_array_create(team, &blocks, MPI_DOUBLE, *end, &made);
  espalier_distribution_bytes(&blocks, MPI_DOUBLE, espalier_team_size(team), &num_bytes);
  *end += num_bytes;
  return made;
}

/* A block of this process. */
static double* block(espalier_array* array, int row, int column) {
  int64_t const element[2] = {(int64_t)row * b, (int64_t)column * b};
  espalier_remote place;
  espalier_array_place(array, element, &place);
  return (double*)(segment + place.offset);
}

/* Starts what brings blocks (:, k) of A to all processes of their row, and blocks (k, :) of B to
   all of their column. Who takes no part in one of them need not call. */
static void start_step(
    int k,
    espalier_array* a,
    espalier_array* a_panel,
    espalier_array* bb,
    espalier_array* b_panel,
    espalier_request* requests[num_requests]
) {
  espalier_onesided_options own = ESPALIER_ONESIDED_OPTIONS_INIT;
  own.in = own.out = ESPALIER_MYSYNC; /* a panel is mine before I start and after I waited */
  int i = 0;
  for (int row = position[0]; row < num_blocks; row += grid[0]) {
    espalier_region const from = {a, {{row, 0, 0}, {k, 0, 0}}};
    espalier_region const to = {a_panel, {{row, 0, 0}, ESPALIER_ALL_BLOCKS}};
    espalier_array_bcast_init(&from, &to, b * b, &own, &requests[i++]);
  }
  for (int column = position[1]; column < num_blocks; column += grid[1]) {
    espalier_region const from = {bb, {{k, 0, 0}, {column, 0, 0}}};
    espalier_region const to = {b_panel, {ESPALIER_ALL_BLOCKS, {column, 0, 0}}};
    espalier_array_bcast_init(&from, &to, b * b, &own, &requests[i++]);
  }
  for (int started = 0; started < i; ++started) {
    espalier_request_start(requests[started]);
  }
}

static void finish_step(espalier_request* requests[num_requests]) {
  for (int i = 0; i < num_requests && requests[i] != NULL; ++i) {
    espalier_request_wait(requests[i]);
    espalier_request_free(&requests[i]);
  }
}

static void multiply(double const* left, double const* right, double* sum) {
  for (int i = 0; i < b; ++i) {
    for (int k = 0; k < b; ++k) {
      for (int j = 0; j < b; ++j) {
        sum[i * b + j] += left[i * b + k] * right[k * b + j];
      }
    }
  }
}

/* For each block of this process: a = i + j and b = i - j, so that c is known; or how wrong it is.
 */
static double each_block(espalier_array* a, espalier_array* bb, espalier_array* c, int is_filled) {
  double error = 0;
  for (int row = position[0]; row < num_blocks; row += grid[0]) {
    for (int column = position[1]; column < num_blocks; column += grid[1]) {
      for (int e = 0; e < b * b; ++e) {
        int const i = row * b + e / b;
        int const j = column * b + e % b;
        double const sum = n * (n - 1) / 2.0;
        double const squares = n * (n - 1) * (2 * n - 1) / 6.0;
        if (is_filled) {
          error = fmax(error, fabs(block(c, row, column)[e] - squares - (i - j) * sum + n * i * j));
        } else {
          block(a, row, column)[e] = i + j;
          block(bb, row, column)[e] = i - j;
        }
      }
    }
  }
  return error;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  espalier_conduit* conduit = NULL;
  espalier_array *a, *bb, *c, *a_panel[2], *b_panel[2];
  espalier_request* requests[2][num_requests] = {{NULL}};
  uint64_t end = 0;
  espalier_conduit_attach(MPI_COMM_WORLD, 1 << 20, NULL, &conduit);
  espalier_team_create(conduit, MPI_COMM_WORLD, 0, &team);
  segment = espalier_conduit_segment(conduit);
  MPI_Dims_create(espalier_team_size(team), 2, grid);
  position[0] = espalier_team_rank(team) / grid[1];
  position[1] = espalier_team_rank(team) % grid[1];
  a = make_array(num_blocks, num_blocks, &end);
  bb = make_array(num_blocks, num_blocks, &end);
  c = make_array(num_blocks, num_blocks, &end);
  for (int i = 0; i < 2; ++i) {
    a_panel[i] = make_array(num_blocks, grid[1], &end); /* a column for each process of a row */
    b_panel[i] = make_array(grid[0], num_blocks, &end);
  }
  each_block(a, bb, c, 0);
  start_step(0, a, a_panel[0], bb, b_panel[0], requests[0]);
  for (int k = 0; k < num_blocks; ++k) {
    int const next = (k + 1) % 2;
    if (k + 1 < num_blocks) {
      start_step(k + 1, a, a_panel[next], bb, b_panel[next], requests[next]);
    }
    finish_step(requests[k % 2]);
    for (int row = position[0]; row < num_blocks; row += grid[0]) {
      for (int column = position[1]; column < num_blocks; column += grid[1]) {
        double const* const left = block(a_panel[k % 2], row, position[1]);
        multiply(left, block(b_panel[k % 2], position[0], column), block(c, row, column));
      }
    }
  }
  double const error = each_block(a, bb, c, 1);
  double largest = 0;
  MPI_Reduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (espalier_team_rank(team) == 0) {
    printf("%d x %d matrices on %d x %d processes, ", n, n, grid[0], grid[1]);
    printf("%d implicit teams, largest error %g\n", espalier_team_cache_size(team), largest);
  }
  espalier_array* all[] = {a, bb, c, a_panel[0], a_panel[1], b_panel[0], b_panel[1]};
  for (int i = 0; i < 7; ++i) {
    espalier_array_free(&all[i]);
  }
  espalier_team_free(&team);
  espalier_conduit_detach(&conduit);
  MPI_Finalize();
  return 0;
}
