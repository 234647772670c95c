/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A program that makes one collective call over and over. Knows nothing of Espalier.
 *
 * Usage: call_loop <collective> <bytes> <num_stretches> <calls_per_stretch>
 *
 * The bytes are those of the whole result; they are rounded up to what the call can have. In
 * allgatherv and alltoallv, parts of half a block and of one and a half blocks alternate.
 *
 *     barrier | call call ... call | barrier | call call ... call | barrier | ...
 *             |<--- stretch 0 ---->---------|<--- stretch 1 ---->---------|
 *
 * A stretch ends when all ranks have made its calls. So no rank runs ahead by more than a stretch,
 * where a root or a leaf need not wait, and work that is put off is counted. These barriers consist
 * of messages: a library that is preloaded may define MPI_Barrier and PMPI_Barrier, and would serve
 * them, and learn in them, too.
 *
 * Rank 0 prints a line of JSON: microseconds of each stretch, what starting and ending MPI took,
 * and a checksum over the last results of all ranks, which are whole numbers and so do not depend
 * on the order of operands. Starting lasts from MPI_Init to the end of the first barrier, since
 * libraries differ in when they connect ranks.
 */

#define _POSIX_C_SOURCE 199309L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

enum { TAG = 1 };

struct loop {
  int rank;
  int num_ranks;
  int count; /* elements of a block, or of the vector */
  char* input;
  char* output;
  int* counts; /* of parts that differ, with the places where they begin */
  int* places;
};

static void allgather(struct loop const* x) {
  MPI_Allgather(x->input, x->count, MPI_BYTE, x->output, x->count, MPI_BYTE, MPI_COMM_WORLD);
}

static void allgatherv(struct loop const* x) {
  MPI_Allgatherv(
      x->input,
      x->counts[x->rank],
      MPI_BYTE,
      x->output,
      x->counts,
      x->places,
      MPI_BYTE,
      MPI_COMM_WORLD
  );
}

static void allreduce(struct loop const* x) {
  MPI_Allreduce(x->input, x->output, x->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void alltoall(struct loop const* x) {
  MPI_Alltoall(x->input, x->count, MPI_BYTE, x->output, x->count, MPI_BYTE, MPI_COMM_WORLD);
}

static void alltoallv(struct loop const* x) {
  MPI_Alltoallv(
      x->input,
      x->counts,
      x->places,
      MPI_BYTE,
      x->output,
      x->counts,
      x->places,
      MPI_BYTE,
      MPI_COMM_WORLD
  );
}

static void barrier(struct loop const* x) {
  (void)x;
  MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(struct loop const* x) {
  MPI_Bcast(x->rank == 0 ? x->input : x->output, x->count, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void gather(struct loop const* x) {
  MPI_Gather(x->input, x->count, MPI_BYTE, x->output, x->count, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void reduce(struct loop const* x) {
  MPI_Reduce(x->input, x->output, x->count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void reduce_scatter_block(struct loop const* x) {
  MPI_Reduce_scatter_block(x->input, x->output, x->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void scan(struct loop const* x) {
  MPI_Scan(x->input, x->output, x->count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void scatter(struct loop const* x) {
  MPI_Scatter(x->input, x->count, MPI_BYTE, x->output, x->count, MPI_BYTE, 0, MPI_COMM_WORLD);
}

struct collective {
  char const* name;
  void (*call)(struct loop const*);
  int has_parts; /* the result consists of a block for each rank */
  int element_bytes;
};

static struct collective const collectives[] = {
    {"allgather", allgather, 1, 1},
    {"allgatherv", allgatherv, 1, 1},
    {"allreduce", allreduce, 0, sizeof(double)},
    {"alltoall", alltoall, 1, 1},
    {"alltoallv", alltoallv, 1, 1},
    {"barrier", barrier, 0, 1},
    {"bcast", bcast, 0, 1},
    {"gather", gather, 1, 1},
    {"reduce", reduce, 0, sizeof(double)},
    {"reduce_scatter_block", reduce_scatter_block, 1, sizeof(double)},
    {"scan", scan, 0, sizeof(double)},
    {"scatter", scatter, 1, 1},
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
    fprintf(stderr, "call_loop: expected room for %zu bytes, found none\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

/* Whole numbers that differ by rank and place. */
static void fill(struct loop const* x, int element_bytes, long num_elements) {
  for (long i = 0; i < num_elements; ++i) {
    long const value = (3 * x->rank + 5 * i) % 17;
    if (element_bytes == 1) {
      x->input[i] = (char)value;
    } else {
      ((double*)(void*)x->input)[i] = (double)value;
    }
  }
}

/* Parts that alternate, and where they begin. In alltoallv both ends must expect the same. */
static void set_parts(struct loop* x, int is_alltoall) {
  int place = 0;
  for (int i = 0; i < x->num_ranks; ++i) {
    int const is_long = (i + (is_alltoall ? x->rank : 0)) % 2 == 0;
    x->counts[i] = is_long ? x->count + x->count / 2 : x->count - x->count / 2;
    x->places[i] = place;
    place += x->counts[i];
  }
}

static struct loop make_loop(struct collective const* chosen, long bytes) {
  struct loop x;
  MPI_Comm_rank(MPI_COMM_WORLD, &x.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &x.num_ranks);
  long const unit = (long)chosen->element_bytes * (chosen->has_parts ? x.num_ranks : 1);
  x.count = (int)((bytes + unit - 1) / unit);
  /* Half as much again for parts that alternate, if there are more long ones. */
  long const num_elements = 2L * x.count * x.num_ranks;
  x.input = room((size_t)(num_elements * chosen->element_bytes));
  x.output = room((size_t)(num_elements * chosen->element_bytes));
  x.counts = room((size_t)x.num_ranks * sizeof(int));
  x.places = room((size_t)x.num_ranks * sizeof(int));
  fill(&x, chosen->element_bytes, num_elements);
  set_parts(&x, strcmp(chosen->name, "alltoallv") == 0);
  return x;
}

/* Returns when all ranks have come: a dissemination barrier. */
static void meet(struct loop const* x) {
  for (int distance = 1; distance < x->num_ranks; distance *= 2) {
    MPI_Sendrecv(
        NULL,
        0,
        MPI_BYTE,
        (x->rank + distance) % x->num_ranks,
        TAG,
        NULL,
        0,
        MPI_BYTE,
        (x->rank - distance + x->num_ranks) % x->num_ranks,
        TAG,
        MPI_COMM_WORLD,
        MPI_STATUS_IGNORE
    );
  }
}

/* Of the results of all ranks, on rank 0; by messages, for the same reason. */
static unsigned long checksum(struct loop const* x, int element_bytes) {
  unsigned long sum = 0;
  long const num_bytes = 2L * x->count * x->num_ranks * element_bytes;
  for (long i = 0; i < num_bytes; ++i) {
    sum = 31 * sum + (unsigned char)x->output[i];
  }
  if (x->rank != 0) {
    MPI_Send(&sum, 1, MPI_UNSIGNED_LONG, 0, TAG, MPI_COMM_WORLD);
    return 0;
  }
  for (int from = 1; from < x->num_ranks; ++from) {
    unsigned long other = 0;
    MPI_Recv(&other, 1, MPI_UNSIGNED_LONG, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum = 37 * sum + other;
  }
  return sum;
}

/* Up to the first comma or end of a line. */
static void print_library(void) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  text[strcspn(text, ",\n\"\\")] = '\0';
  for (char* c = text; *c != '\0'; ++c) {
    *c = *c == '\t' ? ' ' : *c;
  }
  printf("\"library\": \"%s\", ", text);
}

/* A line that end_line() ends. */
static void begin_line(
    struct collective const* chosen,
    struct loop const* x,
    unsigned long sum,
    double const* microseconds,
    long num_stretches
) {
  long const bytes =
      (long)x->count * chosen->element_bytes * (chosen->has_parts ? x->num_ranks : 1);
  printf("{\"collective\": \"%s\", \"num_ranks\": %d, ", chosen->name, x->num_ranks);
  print_library();
  printf("\"bytes\": %ld, \"checksum\": \"%lx\", \"stretch_us\": [", bytes, sum);
  for (long i = 0; i < num_stretches; ++i) {
    printf("%s%.0f", i == 0 ? "" : ", ", microseconds[i]);
  }
  printf("], ");
}

static void end_line(double init_seconds, double finalize_seconds) {
  printf("\"init_us\": %.0f, \"finalize_us\": %.0f}\n", 1e6 * init_seconds, 1e6 * finalize_seconds);
}

/* Seconds; MPI_Wtime() is not there before MPI_Init. */
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Returns when all ranks were ready for the first call. */
static double run(struct collective const* chosen, long bytes, long num_stretches, long num_calls) {
  struct loop const x = make_loop(chosen, bytes);
  double* const microseconds = room((size_t)num_stretches * sizeof(double));
  meet(&x);
  double const ready = now();
  double start = MPI_Wtime();
  for (long i = 0; i < num_stretches; ++i) {
    for (long k = 0; k < num_calls; ++k) {
      chosen->call(&x);
    }
    meet(&x);
    double const end = MPI_Wtime();
    microseconds[i] = 1e6 * (end - start);
    start = end;
  }
  unsigned long const sum = checksum(&x, chosen->element_bytes);
  if (x.rank == 0) {
    begin_line(chosen, &x, sum, microseconds, num_stretches);
  }
  free(microseconds);
  free(x.input);
  free(x.output);
  free(x.counts);
  free(x.places);
  return ready;
}

int main(int argc, char** argv) {
  double const start = now();
  MPI_Init(&argc, &argv);
  struct collective const* const chosen = argc == 5 ? find(argv[1]) : NULL;
  long const bytes = chosen == NULL ? -1 : strtol(argv[2], NULL, 10);
  if (bytes < 0 || bytes > 1L << 28) {
    fprintf(stderr, "call_loop: expected COLLECTIVE BYTES NUM_STRETCHES CALLS_PER_STRETCH\n");
    MPI_Finalize();
    return 2;
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double const ready = run(chosen, bytes, strtol(argv[3], NULL, 10), strtol(argv[4], NULL, 10));
  double const over = now();
  MPI_Finalize();
  if (rank == 0) {
    end_line(ready - start, now() - over);
  }
  return 0;
}
