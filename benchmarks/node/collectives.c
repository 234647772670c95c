/* SPDX-License-Identifier: Apache-2.0
 *
 * Times collectives as the program calls them, which a preloaded library may serve, beside those of
 * the MPI library itself, in turns: `collectives <samples> <most bytes>`. Rank 0
 * prints a line of JSON for each collective and size, with the medians of both, the median of their
 * ratios and its quartiles. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

enum { num_kinds = 5, most_samples = 10000 };

static char const* const kinds[num_kinds] = {
    "barrier", "bcast", "allreduce", "allgather", "reduce"
};

static char* in;
static char* out;
static int num_ranks;

/* The functions of a collective, as the program or as the library defines them. */
struct functions {
  int (*barrier)(MPI_Comm);
  int (*bcast)(void*, int, MPI_Datatype, int, MPI_Comm);
  int (*allreduce)(void const*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
  int (*allgather)(void const*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
  int (*reduce)(void const*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
};

static struct functions ours;
static struct functions native;

/* A function of the MPI library, also where something that was preloaded has that name. */
static void* in_library(char const* name) {
  Dl_info library;
  void* handle = NULL;
  if (dladdr(dlsym(RTLD_DEFAULT, "MPI_Get_library_version"), &library) != 0) {
    handle = dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }
  void* const found = handle != NULL ? dlsym(handle, name) : NULL;
  if (found == NULL) {
    fprintf(stderr, "collectives: expected %s in the MPI library, found none\n", name);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return found;
}

static void find_functions(void) {
  ours = (struct functions){MPI_Barrier, MPI_Bcast, MPI_Allreduce, MPI_Allgather, MPI_Reduce};
  *(void**)&native.barrier = in_library("PMPI_Barrier");
  *(void**)&native.bcast = in_library("PMPI_Bcast");
  *(void**)&native.allreduce = in_library("PMPI_Allreduce");
  *(void**)&native.allgather = in_library("PMPI_Allgather");
  *(void**)&native.reduce = in_library("PMPI_Reduce");
}

static void call(int kind, struct functions const* by, int bytes) {
  MPI_Comm const comm = MPI_COMM_WORLD;
  int const count = bytes / (int)sizeof(double);
  int const part = bytes / num_ranks;
  switch (kind) {
  case 0:
    by->barrier(comm);
    break;
  case 1:
    by->bcast(out, bytes, MPI_BYTE, 0, comm);
    break;
  case 2:
    by->allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
    break;
  case 3:
    by->allgather(in, part, MPI_BYTE, out, part, MPI_BYTE, comm);
    break;
  default:
    by->reduce(in, out, count, MPI_DOUBLE, MPI_SUM, 0, comm);
  }
}

/* Microseconds of one call, the slowest rank's. */
static double sample(int kind, int is_native, int bytes, int num_calls) {
  native.barrier(MPI_COMM_WORLD);
  double const start = MPI_Wtime();
  for (int i = 0; i < num_calls; ++i) {
    call(kind, is_native ? &native : &ours, bytes);
  }
  double time = (MPI_Wtime() - start) * 1e6 / num_calls;
  native.allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return time;
}

static int compare(void const* a, void const* b) {
  double const x = *(double const*)a;
  double const y = *(double const*)b;
  return (x > y) - (x < y);
}

static double quantile(double const* sorted, int num, double q) {
  return sorted[(int)(q * (num - 1) + 0.5)];
}

static void measure(int kind, int bytes, int num_samples) {
  static double native_us[most_samples];
  static double ours_us[most_samples];
  static double ratio[most_samples];
  int const num_calls = bytes <= 4096 ? 200 : bytes <= 65536 ? 50 : 10;
  for (int i = -3; i < num_samples; ++i) {
    int const is_native_first = i & 1;
    double times[2];
    times[is_native_first] = sample(kind, is_native_first, bytes, num_calls);
    times[!is_native_first] = sample(kind, !is_native_first, bytes, num_calls);
    if (i >= 0) {
      ours_us[i] = times[0];
      native_us[i] = times[1];
      ratio[i] = times[0] / times[1];
    }
  }
  qsort(native_us, (size_t)num_samples, sizeof(double), compare);
  qsort(ours_us, (size_t)num_samples, sizeof(double), compare);
  qsort(ratio, (size_t)num_samples, sizeof(double), compare);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    printf(
        "{\"collective\": \"%s\", \"bytes\": %d, \"native_us\": %.4f, \"ours_us\": %.4f, "
        "\"fastest_native_us\": %.4f, \"fastest_ours_us\": %.4f, "
        "\"ratio\": %.3f, \"ratio_low\": %.3f, \"ratio_high\": %.3f}\n",
        kinds[kind],
        bytes,
        quantile(native_us, num_samples, 0.5),
        quantile(ours_us, num_samples, 0.5),
        native_us[0],
        ours_us[0],
        quantile(ratio, num_samples, 0.5),
        quantile(ratio, num_samples, 0.25),
        quantile(ratio, num_samples, 0.75)
    );
    fflush(stdout);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3 || atoi(argv[1]) < 1 || atoi(argv[1]) > most_samples || atoi(argv[2]) < 8) {
    fprintf(stderr, "usage: collectives <samples, up to %d> <most bytes, from 8>\n", most_samples);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int const num_samples = atoi(argv[1]);
  int const most_bytes = atoi(argv[2]);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  in = malloc((size_t)most_bytes + 8);
  out = malloc((size_t)most_bytes + 8);
  /* Pages that nobody wrote would all be one page of zeros. */
  memset(in, 1, (size_t)most_bytes + 8);
  memset(out, 1, (size_t)most_bytes + 8);
  find_functions();
  measure(0, 0, num_samples);
  for (int kind = 1; kind < num_kinds; ++kind) {
    for (int bytes = 8; bytes <= most_bytes; bytes *= 8) {
      measure(kind, bytes, num_samples);
    }
  }
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
