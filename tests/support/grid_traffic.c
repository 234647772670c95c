// SPDX-License-Identifier: Apache-2.0

/* Messages between neighbours of an open 2-D grid in which rank i stands at position i, as a
 * program has them that calls MPI_Cart_create without reordering.
 *
 * grid_traffic ROWS COLUMNS BYTES TIMES: every rank writes a line `rank host cpus shared`: where
 * it runs, its processors joined by commas, and how many ranks share memory with it.
 */

#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

enum { longest_line = 256 + MPI_MAX_PROCESSOR_NAME, num_neighbours = 4 };

static void describe(char line[longest_line], int rank) {
  char host[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  MPI_Get_processor_name(host, &length);
  cpu_set_t cpus;
  sched_getaffinity(0, sizeof cpus, &cpus);
  char list[128] = "";
  for (int cpu = 0; cpu < 32; ++cpu) {
    if (CPU_ISSET(cpu, &cpus)) {
      size_t const used = strlen(list);
      snprintf(list + used, sizeof list - used, "%s%d", used == 0 ? "" : ",", cpu);
    }
  }
  MPI_Comm node;
  int shared = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &shared);
  MPI_Comm_free(&node);
  snprintf(line, longest_line, "%d %s %s %d", rank, host, list, shared);
}

static void exchange(int rank, int rows, int columns, int num_bytes) {
  static int const steps[num_neighbours][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  char* const out = calloc(1, (size_t)num_bytes);
  char* const in = malloc((size_t)num_bytes * num_neighbours);
  MPI_Request requests[2 * num_neighbours];
  MPI_Status statuses[2 * num_neighbours];
  int count = 0;
  for (int i = 0; i < num_neighbours; ++i) {
    int const row = rank / columns + steps[i][0];
    int const column = rank % columns + steps[i][1];
    if (row < 0 || row >= rows || column < 0 || column >= columns) {
      continue;
    }
    int const peer = row * columns + column;
    char* const place = in + (size_t)num_bytes * (size_t)i;
    MPI_Irecv(place, num_bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &requests[count++]);
    MPI_Isend(out, num_bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD, &requests[count++]);
  }
  MPI_Waitall(count, requests, statuses);
  free(out);
  free(in);
}

static void write_lines(char const line[longest_line], int rank, int num_ranks) {
  char* const lines = rank == 0 ? malloc((size_t)num_ranks * longest_line) : NULL;
  MPI_Gather(line, longest_line, MPI_CHAR, lines, longest_line, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < num_ranks; ++i) {
    puts(lines + (size_t)i * longest_line);
  }
  free(lines);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int num_ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  if (argc != 5 || atoi(argv[1]) * atoi(argv[2]) != num_ranks) {
    fprintf(stderr, "usage: grid_traffic ROWS COLUMNS BYTES TIMES, a rank for each position\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  char line[longest_line] = "";
  describe(line, rank);
  for (int i = 0; i < atoi(argv[4]); ++i) {
    exchange(rank, atoi(argv[1]), atoi(argv[2]), atoi(argv[3]));
  }
  write_lines(line, rank, num_ranks);
  MPI_Finalize();
  return 0;
}
