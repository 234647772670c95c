/* SPDX-License-Identifier: Apache-2.0
 *
 * Times collectives as the program calls them, which a preloaded library may serve, beside those of
 * the MPI library itself, in turns.
 *
 * Usage: collectives <milliseconds> <bytes>...
 *
 * Each call is timed with each size for about so many milliseconds. Sizes are those of the whole
 * result, and are rounded up to what a call can have. Rank 0 prints a line of JSON for the library,
 * with two ranks for what the hardware allows (limit.h), and for each call and size: the medians of
 * both, and the median of the ratios of turns with its quartiles. Results of both are compared
 * first. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "limit.h"
#include "statistics.h"

#include <mpi.h>

enum {
  fewest_samples = 5,
  most_samples = 300,
  most_calls = 1024,
  num_tries = 3,
  most_sizes = 32,
  most_bytes = 1 << 30,
  /* Long enough that the clock and the barrier before it do not matter. */
  microseconds_of_a_sample = 150
};

static struct functions program;
static struct functions library;
static struct memory memory;
static char* expected;
static int rank;

static void require(int is_true, char const* text) {
  if (!is_true) {
    fprintf(stderr, "collectives: %s\n", text);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

/* Microseconds of one call, the slowest rank's. */
static double sample(int call, struct functions const* by, int bytes, int num) {
  library.barrier(MPI_COMM_WORLD);
  double const start = MPI_Wtime();
  for (int i = 0; i < num; ++i) {
    make_call(call, by, bytes, &memory);
  }
  double time = (MPI_Wtime() - start) * 1e6 / num;
  library.allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return time;
}

/* Microseconds of the fastest of some samples: others may have waited for a processor. */
static double fastest(int call, struct functions const* by, int bytes, int num) {
  double least = sample(call, by, bytes, num);
  for (int i = 1; i < num_tries; ++i) {
    double const time = sample(call, by, bytes, num);
    least = time < least ? time : least;
  }
  return least;
}

/* What both need for a call, together; `num` becomes how many calls take as long as a sample. */
static double both(int call, int bytes, int* num) {
  for (*num = 1;; *num *= 4) {
    double const served = fastest(call, &program, bytes, *num);
    double const native = fastest(call, &library, bytes, *num);
    double const faster = served < native ? served : native;
    if (faster * *num >= microseconds_of_a_sample || 4 * *num > most_calls) {
      return served + native;
    }
  }
}

static void fill(void* buffer, size_t bytes, int first) {
  double* const numbers = buffer;
  for (size_t i = 0; i < bytes / sizeof(double) + 1; ++i) {
    numbers[i] = first + (double)(i % 1000);
  }
}

/* Ends all ranks if both have different results. Numbers are whole, so that their sums are exact.
 */
static void check(int call, int bytes) {
  size_t const size = (size_t)bytes;
  fill(memory.out, size, rank);
  make_call(call, &library, bytes, &memory);
  memcpy(expected, memory.out, size);
  fill(memory.out, size, rank);
  make_call(call, &program, bytes, &memory);
  if (memcmp(expected, memory.out, size) != 0) {
    fprintf(stderr, "collectives: %s of %d B: wrong result\n", call_names[call], bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void print(int call, int bytes, double* served, double* native, double* ratio, int num) {
  double const middle = median(ratio, num);
  printf(
      "{\"call\": \"%s\", \"bytes\": %d, \"native_us\": %.5g, \"ours_us\": %.5g, "
      "\"ratio\": %.4f, \"ratio_low\": %.4f, \"ratio_high\": %.4f, \"samples\": %d}\n",
      call_names[call],
      bytes,
      median(native, num),
      median(served, num),
      middle,
      ratio[num / 4],
      ratio[num - 1 - num / 4],
      num
  );
  fflush(stdout);
}

static void measure(int call, int bytes, double milliseconds) {
  static double native[most_samples];
  static double served[most_samples];
  static double ratio[most_samples];
  int num_in_sample = 0;
  check(call, bytes);
  double const pair_us = both(call, bytes, &num_in_sample) * num_in_sample;
  double const wanted = milliseconds * 1e3 / pair_us;
  int const num = wanted < fewest_samples ? fewest_samples
                  : wanted > most_samples ? most_samples
                                          : (int)wanted;
  for (int i = 0; i < num; ++i) {
    if (i % 2 == 0) {
      served[i] = sample(call, &program, bytes, num_in_sample);
    }
    native[i] = sample(call, &library, bytes, num_in_sample);
    if (i % 2 != 0) {
      served[i] = sample(call, &program, bytes, num_in_sample);
    }
    ratio[i] = served[i] / native[i];
  }
  if (rank == 0) {
    print(call, bytes, served, native, ratio, num);
  }
}

static void* room(int bytes) {
  size_t const size = (size_t)bytes + sizeof(double);
  void* const memory_of_it = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
  require(memory_of_it != NULL, "expected room for the largest size, found none");
  /* Pages that nobody wrote would all be one page of zeros. */
  fill(memory_of_it, (size_t)bytes, rank);
  return memory_of_it;
}

static int read_sizes(int num, char** words, int* sizes) {
  int most = 0;
  require(num >= 1 && num <= most_sizes, "usage: collectives <milliseconds> <bytes>...");
  for (int i = 0; i < num; ++i) {
    char* end = NULL;
    long const bytes = strtol(words[i], &end, 10);
    require(*end == '\0' && bytes >= 0 && bytes <= most_bytes, "expected sizes from 0 to 1 GiB");
    sizes[i] = (int)bytes;
    most = sizes[i] > most ? sizes[i] : most;
  }
  return most;
}

static void print_library(void) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  version[strcspn(version, "\n,")] = '\0';
  for (char* one = version; *one != '\0'; ++one) {
    *one = *one == '"' || *one == '\\' || *one == '\t' ? ' ' : *one;
  }
  if (rank == 0) {
    printf("{\"library\": \"%s\"}\n", version);
  }
}

static void measure_all(double milliseconds, int const* sizes, int num_sizes) {
  measure(0, 0, milliseconds);
  for (int call = 1; call < num_calls; ++call) {
    for (int i = 0; i < num_sizes; ++i) {
      measure(call, real_bytes(call, sizes[i], memory.num_ranks), milliseconds);
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &memory.num_ranks);
  int sizes[most_sizes];
  double const milliseconds = argc > 1 ? strtod(argv[1], NULL) : 0;
  require(milliseconds > 0, "usage: collectives <milliseconds> <bytes>...");
  int const most = read_sizes(argc - 2, argv + 2, sizes);
  int const unit = (int)sizeof(double) * memory.num_ranks;
  memory.in = room(most + unit);
  memory.out = room(most + unit);
  expected = room(most + unit);
  program = functions_of_program();
  library = functions_of_library();
  print_library();
  if (memory.num_ranks == 2) {
    measure_limits(sizes, argc - 2);
  }
  measure_all(milliseconds, sizes, argc - 2);
  free(memory.in);
  free(memory.out);
  free(expected);
  MPI_Finalize();
  return 0;
}
