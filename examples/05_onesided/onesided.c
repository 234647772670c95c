/* SPDX-License-Identifier: Apache-2.0 */

/* Heat in a bar, hot at its left end: each process puts its border cells into the segments of its
   neighbours, and a counter tells them when they are there. How much changed in a step is summed
   by a collective of all processes that is waited for four steps later. */

#include <math.h>
#include <stdio.h>

#include <espalier_onesided.h>

#include <mpi.h>

enum { num_cells = 16, num_steps = 400, num_sums = 4, left = 0, right = 1 };

/* The segment of each process; all have the same. */
typedef struct {
  uint64_t arrived[2];     /* steps whose border cell came from the left, from the right */
  double border[2][2];     /* these cells, of even and of odd steps */
  double change[num_sums]; /* in the last steps, here */
  double sum[num_sums];    /* and everywhere */
} segment;

/* A border cell of a step goes to a neighbour, at its side `side`. */
static void tell(espalier_conduit* conduit, int rank, int side, int step, double cell) {
  if (rank >= 0 && rank < espalier_conduit_size(conduit)) {
    espalier_remote to = {rank, 0};
    to.offset = offsetof(segment, border) + (uint64_t)(2 * (step % 2) + side) * sizeof cell;
    espalier_put_signal(&cell, sizeof cell, to, (uint64_t)side * 8, 1, conduit);
  }
}

static double hear(espalier_conduit* conduit, int side, int step, double end_of_bar) {
  segment const* const here = espalier_conduit_segment(conduit);
  int const rank = espalier_conduit_rank(conduit) + (side == left ? -1 : 1);
  if (rank < 0 || rank >= espalier_conduit_size(conduit)) {
    return end_of_bar;
  }
  espalier_await(conduit, (uint64_t)side * 8, (uint64_t)step + 1);
  return here->border[step % 2][side];
}

/* One step; x[0] and x[num_cells + 1] belong to neighbours. */
static double relax(double x[num_cells + 2]) {
  double change = 0;
  double before = x[0];
  for (int i = 1; i <= num_cells; ++i) {
    double const now = x[i] + 0.25 * (before - 2 * x[i] + x[i + 1]);
    before = x[i];
    change += fabs(now - x[i]);
    x[i] = now;
  }
  return change;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  espalier_conduit* conduit = NULL;
  espalier_team* team = NULL;
  espalier_request* sums[num_sums] = {NULL};
  espalier_onesided_options own = ESPALIER_ONESIDED_OPTIONS_INIT;
  own.in = ESPALIER_MYSYNC; /* what is mine is mine before I start a sum and after I waited */
  own.out = ESPALIER_MYSYNC;
  espalier_conduit_attach(MPI_COMM_WORLD, sizeof(segment), NULL, &conduit);
  espalier_team_create(conduit, MPI_COMM_WORLD, 0, &team);
  segment* const here = espalier_conduit_segment(conduit);
  for (int i = 0; i < num_sums; ++i) {
    espalier_team_allreduce_init(
        &here->change[i], &here->sum[i], 1, MPI_DOUBLE, MPI_SUM, team, &own, &sums[i]
    );
  }
  int const rank = espalier_conduit_rank(conduit);
  double x[num_cells + 2] = {0};
  for (int step = 0; step < num_steps; ++step) {
    tell(conduit, rank - 1, right, step, x[1]);
    tell(conduit, rank + 1, left, step, x[num_cells]);
    int const i = step % num_sums;
    espalier_request_wait(sums[i]);
    if (rank == 0 && step > 0 && step % 100 == 0) {
      printf("step %3d: change %.4f\n", step - num_sums, here->sum[i]);
    }
    x[0] = hear(conduit, left, step, 1);
    x[num_cells + 1] = hear(conduit, right, step, 0);
    here->change[i] = relax(x);
    espalier_request_start(sums[i]);
  }
  espalier_team_fence(team);
  if (rank == 0) {
    printf("step %3d: change %.4f\n", num_steps - 1, here->sum[(num_steps - 1) % num_sums]);
  }
  for (int i = 0; i < num_sums; ++i) {
    espalier_request_free(&sums[i]);
  }
  espalier_team_free(&team);
  espalier_conduit_detach(&conduit);
  MPI_Finalize();
  return 0;
}
