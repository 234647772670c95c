/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A program that starts one nonblocking collective over and over, works, and completes it. Knows
 * nothing of Espalier.
 *
 * Usage: overlap <collective> <bytes> <work in microseconds> <num_tests> <num_rounds>
 *
 * The bytes are those of the whole result, rounded up to what the call can have. A round has the
 * call twice, and a barrier before each:
 *
 *     barrier | start wait | barrier | start  work test work test ... work  wait |
 *             |<- alone -->|         |<-------------- beside work -------------->|
 *
 * Work is time that passes: the rank sleeps, as a rank that computes on a processor of its own
 * would leave the others alone. Its pieces are equally long.
 *
 * Rank 0 prints a line of JSON: the microseconds of both in each round, of the rank that took
 * longest, and a checksum over the last results of all ranks.
 */

#define _POSIX_C_SOURCE 200112L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

struct call {
  int rank;
  int num_ranks;
  int count; /* elements of a block, or of the vector */
  char* input;
  char* output;
  MPI_Request request;
};

static void iallgather(struct call* x) {
  MPI_Iallgather(
      x->input, x->count, MPI_BYTE, x->output, x->count, MPI_BYTE, MPI_COMM_WORLD, &x->request
  );
}

static void iallreduce(struct call* x) {
  MPI_Iallreduce(x->input, x->output, x->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &x->request);
}

static void ialltoall(struct call* x) {
  MPI_Ialltoall(
      x->input, x->count, MPI_BYTE, x->output, x->count, MPI_BYTE, MPI_COMM_WORLD, &x->request
  );
}

static void ibarrier(struct call* x) {
  MPI_Ibarrier(MPI_COMM_WORLD, &x->request);
}

static void ibcast(struct call* x) {
  char* const buffer = x->rank == 0 ? x->input : x->output;
  MPI_Ibcast(buffer, x->count, MPI_BYTE, 0, MPI_COMM_WORLD, &x->request);
}

static void ireduce(struct call* x) {
  MPI_Ireduce(x->input, x->output, x->count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, &x->request);
}

struct collective {
  char const* name;
  void (*start)(struct call*);
  int has_parts; /* the result consists of a block for each rank */
  int element_bytes;
};

static struct collective const collectives[] = {
    {"iallgather", iallgather, 1, 1},
    {"iallreduce", iallreduce, 0, sizeof(double)},
    {"ialltoall", ialltoall, 1, 1},
    {"ibarrier", ibarrier, 0, 1},
    {"ibcast", ibcast, 0, 1},
    {"ireduce", ireduce, 0, sizeof(double)},
};

static struct collective const* find(char const* name) {
  for (size_t i = 0; i < sizeof(collectives) / sizeof(collectives[0]); ++i) {
    if (strcmp(collectives[i].name, name) == 0) {
      return &collectives[i];
    }
  }
  return NULL;
}

static void* room(size_t bytes) {
  void* const memory = calloc(bytes + 1, 1);
  if (memory == NULL) {
    fprintf(stderr, "overlap: expected room for %zu bytes, found none\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

/* Bytes of the input and of the output. */
static size_t num_bytes(struct collective const* chosen, struct call const* x) {
  return (size_t)x->count * (size_t)chosen->element_bytes *
         (size_t)(chosen->has_parts ? x->num_ranks : 1);
}

static struct call make_call(struct collective const* chosen, long bytes) {
  struct call x = {.request = MPI_REQUEST_NULL};
  MPI_Comm_rank(MPI_COMM_WORLD, &x.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &x.num_ranks);
  long const unit = (long)chosen->element_bytes * (chosen->has_parts ? x.num_ranks : 1);
  x.count = (int)((bytes + unit - 1) / unit);
  x.input = room(num_bytes(chosen, &x));
  x.output = room(num_bytes(chosen, &x));
  /* Whole numbers, whose sums do not depend on the order of operands. */
  size_t const num_elements = num_bytes(chosen, &x) / (size_t)chosen->element_bytes;
  for (size_t i = 0; i < num_elements; ++i) {
    long const value = (long)((3 * (size_t)x.rank + 5 * i) % 17);
    if (chosen->element_bytes == 1) {
      x.input[i] = (char)value;
    } else {
      ((double*)(void*)x.input)[i] = (double)value;
    }
  }
  return x;
}

static void pass(long microseconds) {
  struct timespec const time = {microseconds / 1000000, microseconds % 1000000 * 1000};
  nanosleep(&time, NULL);
}

/* Microseconds from the start to the completion. */
static double run(struct collective const* chosen, struct call* x, long work, long num_tests) {
  MPI_Barrier(MPI_COMM_WORLD);
  double const start = MPI_Wtime();
  chosen->start(x);
  if (work > 0) {
    for (long i = 0; i < num_tests; ++i) {
      int is_complete = 0;
      pass(work / (num_tests + 1));
      MPI_Test(&x->request, &is_complete, MPI_STATUS_IGNORE);
    }
    pass(work / (num_tests + 1));
  }
  MPI_Wait(&x->request, MPI_STATUS_IGNORE);
  return 1e6 * (MPI_Wtime() - start);
}

/* Of the results of all ranks, on rank 0. */
static unsigned long checksum(struct collective const* chosen, struct call const* x) {
  unsigned long own = 0;
  for (size_t i = 0; i < num_bytes(chosen, x); ++i) {
    own = 31 * own + (unsigned char)x->output[i];
  }
  own *= 2 * (unsigned long)x->rank + 1;
  unsigned long sum = 0;
  MPI_Reduce(&own, &sum, 1, MPI_UNSIGNED_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  return sum;
}

static void print_times(char const* name, double const* times, long num_rounds) {
  printf(", \"%s\": [", name);
  for (long i = 0; i < num_rounds; ++i) {
    printf("%s%.0f", i == 0 ? "" : ", ", times[i]);
  }
  printf("]");
}

/* Up to the first comma or end of a line. */
static void print_library(void) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  text[strcspn(text, ",\n\"\\\t")] = '\0';
  printf(", \"library\": \"%s\"", text);
}

static void
measure(struct collective const* chosen, long bytes, long work, long num_tests, long num_rounds) {
  struct call x = make_call(chosen, bytes);
  double* const own = room(2 * (size_t)num_rounds * sizeof(double));
  double* const longest = room(2 * (size_t)num_rounds * sizeof(double));
  run(chosen, &x, 0, 0); /* connects the ranks */
  for (long i = 0; i < num_rounds; ++i) {
    own[i] = run(chosen, &x, 0, 0);
    own[num_rounds + i] = run(chosen, &x, work, num_tests);
  }
  MPI_Reduce(own, longest, 2 * (int)num_rounds, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  unsigned long const sum = checksum(chosen, &x);
  if (x.rank == 0) {
    printf("{\"collective\": \"%s\", \"checksum\": \"%lx\"", chosen->name, sum);
    print_library();
    print_times("alone_us", longest, num_rounds);
    print_times("beside_us", longest + num_rounds, num_rounds);
    printf("}\n");
  }
  free(own);
  free(longest);
  free(x.input);
  free(x.output);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct collective const* const chosen = argc == 6 ? find(argv[1]) : NULL;
  long const bytes = chosen == NULL ? -1 : strtol(argv[2], NULL, 10);
  if (bytes < 0 || bytes > 1L << 28) {
    fprintf(stderr, "overlap: expected COLLECTIVE BYTES WORK NUM_TESTS NUM_ROUNDS\n");
    MPI_Finalize();
    return 2;
  }
  long const num_rounds = strtol(argv[5], NULL, 10);
  measure(chosen, bytes, strtol(argv[3], NULL, 10), strtol(argv[4], NULL, 10), num_rounds);
  MPI_Finalize();
  return 0;
}
