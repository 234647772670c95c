/* SPDX-License-Identifier: Apache-2.0 */

/* Nonblocking, persistent and planned collectives by the hundred, completed in all ways, on ten
   communicators that come and go. behaviour_valgrind.py looks for what is left of them. With the
   argument `forgetful` it does not free what is persistent or planned. Exit code 1: a result was
   wrong. */

#include <stdlib.h>

#include "include/espalier_planned.h"

#include <mpi.h>

#include "tests/shim/persistent_names.h"

enum { num_comms = 10, rounds_of_comm = 20, num_requests = 4, most_ranks = 8, length = 50 };

static int num_wrong = 0;
static int is_forgetful = 0;
static int rank, num_ranks;

static void expect(int found, int expected) {
  num_wrong += found == expected ? 0 : 1;
}

/* What the collectives of a round use. Memory of its own, so that each access beyond is seen. */
typedef struct {
  int* sum;
  int* from_root;
  int* of_all;
  int* sent;
  int* received;
  int counts[most_ranks];
  int displs[most_ranks];
} buffers;

static int* numbers(int count) {
  return calloc((size_t)count, sizeof(int));
}

static buffers make_buffers(void) {
  buffers made = {
      numbers(length),
      numbers(length),
      numbers(num_ranks),
      numbers(num_ranks * length),
      numbers(num_ranks * length),
      {0},
      {0},
  };
  return made;
}

static void free_buffers(buffers* used) {
  free(used->sum);
  free(used->from_root);
  free(used->of_all);
  free(used->sent);
  free(used->received);
}

static void fill(buffers* used, int round) {
  for (int i = 0; i < length; ++i) {
    used->sum[i] = rank + round + i;
    used->from_root[i] = rank == round % num_ranks ? round + i : -1;
  }
  used->of_all[rank] = rank + round;
  for (int other = 0; other < num_ranks; ++other) {
    used->counts[other] = 1 + round % length;
    used->displs[other] = other * length;
    used->sent[other * length] = rank * num_ranks + other + round;
  }
}

static void check(buffers const* used, int round) {
  int const sum_of_ranks = num_ranks * (num_ranks - 1) / 2;
  for (int i = 0; i < length; ++i) {
    expect(used->sum[i], sum_of_ranks + num_ranks * (round + i));
    expect(used->from_root[i], round + i);
  }
  for (int other = 0; other < num_ranks; ++other) {
    expect(used->of_all[other], other + round);
    expect(used->received[other * length], other * num_ranks + rank + round);
  }
}

static void start(buffers* used, int round, MPI_Comm comm, MPI_Request requests[]) {
  MPI_Iallreduce(MPI_IN_PLACE, used->sum, length, MPI_INT, MPI_SUM, comm, &requests[0]);
  MPI_Ibcast(used->from_root, length, MPI_INT, round % num_ranks, comm, &requests[1]);
  MPI_Iallgather(MPI_IN_PLACE, 0, MPI_INT, used->of_all, 1, MPI_INT, comm, &requests[2]);
  MPI_Ialltoallv(
      used->sent,
      used->counts,
      used->displs,
      MPI_INT,
      used->received,
      used->counts,
      used->displs,
      MPI_INT,
      comm,
      &requests[3]
  );
}

static void complete_each(MPI_Request requests[], int is_tested) {
  for (int i = 0; i < num_requests; ++i) {
    int is_complete = 0;
    while (is_tested && !is_complete) {
      MPI_Test(&requests[i], &is_complete, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  }
}

static void complete_some(MPI_Request requests[]) {
  int num_left = num_requests;
  while (num_left > 0) {
    int num_complete = 0;
    int which[num_requests];
    MPI_Status statuses[num_requests];
    MPI_Waitsome(num_requests, requests, &num_complete, which, statuses);
    num_left -= num_complete;
  }
}

static void complete(MPI_Request requests[], int round) {
  MPI_Status statuses[num_requests];
  switch (round % 4) {
  case 0:
    complete_each(requests, 0);
    break;
  case 1:
    complete_each(requests, 1);
    break;
  case 2:
    MPI_Waitall(num_requests, requests, statuses);
    break;
  default:
    complete_some(requests);
  }
}

static void nonblocking(MPI_Comm comm, int first_round) {
  buffers used = make_buffers();
  MPI_Request requests[num_requests];
  for (int round = first_round; round < first_round + rounds_of_comm; ++round) {
    fill(&used, round);
    start(&used, round, comm, requests);
    complete(requests, round);
    check(&used, round);
  }
  free_buffers(&used);
}

static void persistent(MPI_Comm comm) {
  int* const sum = numbers(length);
  int* const from_root = numbers(length);
  MPI_Request requests[2];
  MPI_Status statuses[2];
  ESPALIER_PERSISTENT(Allreduce)
  (MPI_IN_PLACE, sum, length, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[0]);
  ESPALIER_PERSISTENT(Bcast)(from_root, length, MPI_INT, 0, comm, MPI_INFO_NULL, &requests[1]);
  for (int i = 0; i < rounds_of_comm; ++i) {
    sum[length - 1] = 1;
    from_root[length - 1] = rank == 0 ? i : -1;
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, statuses);
    expect(sum[length - 1], num_ranks);
    expect(from_root[length - 1], i);
  }
  for (int i = 0; i < 2 && !is_forgetful; ++i) {
    MPI_Request_free(&requests[i]);
  }
  free(sum);
  free(from_root);
}

static void planned(MPI_Comm comm) {
  int* const sum = numbers(length);
  espalier_planned_options options = ESPALIER_PLANNED_OPTIONS_INIT;
  espalier_request* request = NULL;
  options.algorithm = "ring";
  espalier_allreduce_init(MPI_IN_PLACE, sum, length, MPI_INT, MPI_SUM, comm, &options, &request);
  for (int i = 0; i < rounds_of_comm; ++i) {
    sum[length - 1] = 1;
    espalier_request_start(request);
    espalier_request_wait(request);
    expect(sum[length - 1], num_ranks);
  }
  if (!is_forgetful) {
    espalier_request_free(&request);
  }
  free(sum);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  is_forgetful = argc > 1;
  for (int i = 0; i < num_comms; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    nonblocking(comm, i * rounds_of_comm);
    persistent(comm);
    planned(comm);
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  return num_wrong == 0 ? 0 : 1;
}
