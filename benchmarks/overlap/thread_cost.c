/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What a thread for progress costs two ranks, each on a processor of its own. Knows nothing of
 * Espalier.
 *
 * Usage: thread_cost <steps of work> <num_rounds>
 *
 * A round has messages there and back, allreduces of 8 bytes, and work: first with nothing
 * underway, and then between two nonblocking barriers that the other rank starts in the other
 * order, so that each rank has one underway all the time, and neither can end:
 *
 *     rank 0   start a | work | start b, wait for both
 *     rank 1   start b | work | start a, wait for both
 *
 * Work computes. Rank 0 prints a line of JSON, with the medians of all rounds of the rank that took
 * longer: microseconds of half a way there and back, of an allreduce, of work alone and of work
 * beside a barrier; and the share of a processor that other threads of the process took meanwhile.
 */

#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <mpi.h>

#include "benchmarks/node/statistics.h"

enum { num_messages = 2000, num_figures = 5, most_rounds = 1000 };

static char const* const names[num_figures] = {
    "message_us", "allreduce_us", "work_us", "beside_us", "other_threads"
};

struct place {
  int rank;
  MPI_Comm ahead;  /* whose barrier this rank starts before its work */
  MPI_Comm behind; /* and after it */
};

static double message_us(struct place const* here) {
  char byte = 0;
  int const other = 1 - here->rank;
  double const start = MPI_Wtime();
  for (int i = 0; i < num_messages; ++i) {
    if (here->rank == 0) {
      MPI_Send(&byte, 1, MPI_CHAR, other, 0, MPI_COMM_WORLD);
      MPI_Recv(&byte, 1, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&byte, 1, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&byte, 1, MPI_CHAR, other, 0, MPI_COMM_WORLD);
    }
  }
  return 1e6 * (MPI_Wtime() - start) / (2 * num_messages);
}

static double allreduce_us(void) {
  double const own = 1;
  double sum = 0;
  double const start = MPI_Wtime();
  for (int i = 0; i < num_messages; ++i) {
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  return 1e6 * (MPI_Wtime() - start) / num_messages;
}

/* A logistic map, which no compiler shortens. */
static double compute(long num_steps) {
  double volatile x = 0.3;
  for (long i = 0; i < num_steps; ++i) {
    x = 3.9 * x * (1 - x);
  }
  return x;
}

static double work_us(long num_steps) {
  double const start = MPI_Wtime();
  compute(num_steps);
  return 1e6 * (MPI_Wtime() - start);
}

static double seconds_of(int who) {
  struct rusage used;
  getrusage(who, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static double seconds_of_other_threads(void) {
  return seconds_of(RUSAGE_SELF) - seconds_of(RUSAGE_THREAD);
}

static void work_beside(struct place const* here, long num_steps, double* figures) {
  MPI_Request requests[2];
  MPI_Ibarrier(here->ahead, &requests[0]);
  double const before = seconds_of_other_threads();
  figures[3] = work_us(num_steps);
  figures[4] = 1e6 * (seconds_of_other_threads() - before) / figures[3];
  MPI_Ibarrier(here->behind, &requests[1]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

static void run(struct place const* here, long num_steps, double* figures) {
  figures[0] = message_us(here);
  figures[1] = allreduce_us();
  MPI_Barrier(MPI_COMM_WORLD);
  figures[2] = work_us(num_steps);
  MPI_Barrier(MPI_COMM_WORLD);
  work_beside(here, num_steps, figures);
}

static void print_medians(double (*all)[num_figures], int num_rounds) {
  double column[most_rounds];
  for (int which = 0; which < num_figures; ++which) {
    for (int i = 0; i < num_rounds; ++i) {
      column[i] = all[i][which];
    }
    printf("%s\"%s\": %.4f", which == 0 ? "{" : ", ", names[which], median(column, num_rounds));
  }
  printf("}\n");
}

static void measure(long num_steps, int num_rounds) {
  double own[most_rounds][num_figures];
  double longer[most_rounds][num_figures];
  struct place here;
  MPI_Comm both[2];
  MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &both[0]);
  MPI_Comm_dup(MPI_COMM_WORLD, &both[1]);
  here.ahead = both[here.rank];
  here.behind = both[1 - here.rank];
  run(&here, num_steps, own[0]); /* connects the ranks */
  for (int i = 0; i < num_rounds; ++i) {
    run(&here, num_steps, own[i]);
  }
  MPI_Reduce(own, longer, num_rounds * num_figures, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (here.rank == 0) {
    print_medians(longer, num_rounds);
  }
  MPI_Comm_free(&both[0]);
  MPI_Comm_free(&both[1]);
}

int main(int argc, char** argv) {
  int num_ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  long const num_steps = argc == 3 ? strtol(argv[1], NULL, 10) : 0;
  long const num_rounds = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
  if (num_ranks != 2 || num_steps < 1 || num_rounds < 1 || num_rounds > most_rounds) {
    fprintf(stderr, "thread_cost: expected 2 ranks, STEPS and up to %d ROUNDS\n", most_rounds);
    MPI_Finalize();
    return 2;
  }
  measure(num_steps, (int)num_rounds);
  MPI_Finalize();
  return 0;
}
