/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A plain MPI program for 3 ranks with calls of known roots, operators and parts, some of them in
 * place. Exit code 1: a result was wrong.
 */

#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "tests/shim/persistent_names.h"

#define NUM_RANKS 3

static int rank = 0;
static int num_wrong = 0;

static void keep_right(void* in, void* result, int* count, MPI_Datatype* type) {
  (void)in;
  (void)result;
  (void)count;
  (void)type;
}

static void choose_roots(void) {
  int message = 0;
  for (int i = 0; i < 6; ++i) {
    MPI_Bcast(&message, 1, MPI_INT, i < 5 ? 1 : 0, MPI_COMM_WORLD);
  }
  int const own = rank;
  int all[NUM_RANKS] = {-1, rank, -1};
  if (rank == 1) {
    MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, 1, MPI_COMM_WORLD);
    num_wrong += all[2] != 2;
  } else {
    MPI_Gather(&own, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 1, MPI_COMM_WORLD);
  }
}

static void combine(void) {
  int value = 0;
  for (int i = 0; i < 4; ++i) {
    value = rank;
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    num_wrong += value != NUM_RANKS - 1;
  }
  MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(keep_right, 0, &op);
  MPI_Allreduce(&rank, &value, 1, MPI_INT, op, MPI_COMM_WORLD);
  num_wrong += value != NUM_RANKS - 1;
  MPI_Op_free(&op);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&rank, &value, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  num_wrong += value != 0;
  int const counts[NUM_RANKS] = {1, 2, 3};
  int const ones[6] = {1, 1, 1, 1, 1, 1};
  int sums[NUM_RANKS] = {0};
  MPI_Reduce_scatter(ones, sums, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  num_wrong += sums[rank] != NUM_RANKS;
}

/* The third call is not looked at, as it is not the last whose number is a power of two. */
static void divide(void) {
  char send[64];
  char receive[64];
  memset(send, rank, sizeof send);
  for (int call = 1; call <= 3; ++call) {
    int counts[NUM_RANKS];
    int places[NUM_RANKS];
    int sent[NUM_RANKS];
    int received[NUM_RANKS];
    int in_rows[NUM_RANKS];
    for (int r = 0; r < NUM_RANKS; ++r) {
      counts[r] = call == 2 ? 5 * r : call;
      places[r] = 16 * r;
      sent[r] = call == 2 ? 4 * rank + r : call;
      received[r] = call == 2 ? 4 * r + rank : call;
      in_rows[r] = 16 * r;
    }
    MPI_Allgatherv(send, counts[rank], MPI_CHAR, receive, counts, places, MPI_CHAR, MPI_COMM_WORLD);
    num_wrong += receive[32] != 2;
    MPI_Alltoallv(
        send, sent, in_rows, MPI_CHAR, receive, received, in_rows, MPI_CHAR, MPI_COMM_WORLD
    );
    num_wrong += receive[32] != 2;
    MPI_Gatherv(send, counts[rank], MPI_CHAR, receive, counts, places, MPI_CHAR, 2, MPI_COMM_WORLD);
    MPI_Scatterv(
        send, counts, places, MPI_CHAR, receive, counts[rank], MPI_CHAR, 0, MPI_COMM_WORLD
    );
  }
}

static void talk_as_planned(MPI_Comm line, int const* values) {
  int received[2] = {-1, -1};
  MPI_Request request = MPI_REQUEST_NULL;
  ESPALIER_PERSISTENT(Neighbor_alltoall)
  (values, 1, MPI_INT, received, 1, MPI_INT, line, MPI_INFO_NULL, &request);
  for (int i = 0; i < 5; ++i) {
    received[1] = -1;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    num_wrong += rank < NUM_RANKS - 1 && received[1] != rank + 1;
  }
  MPI_Request_free(&request);
}

/* A line without ends that meet: the ranks at both ends have one neighbour. */
static void talk_to_neighbours(void) {
  int const extent = NUM_RANKS;
  int const is_periodic = 0;
  MPI_Comm line = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &extent, &is_periodic, 0, &line);
  int const values[2] = {rank, rank};
  int received[2] = {-1, -1};
  MPI_Neighbor_allgather(values, 1, MPI_INT, received, 1, MPI_INT, line);
  num_wrong += rank > 0 && received[0] != rank - 1;
  MPI_Neighbor_alltoall(values, 1, MPI_INT, received, 1, MPI_INT, line);
  MPI_Neighbor_alltoall(values, 1, MPI_INT, received, 1, MPI_INT, line);
  num_wrong += rank < NUM_RANKS - 1 && received[1] != rank + 1;
  int const counts[2] = {1, 1};
  int const places[2] = {0, 1};
  MPI_Neighbor_alltoallv(values, counts, places, MPI_INT, received, counts, places, MPI_INT, line);
  for (int i = 0; i < 3; ++i) {
    MPI_Request request = MPI_REQUEST_NULL;
    received[1] = -1;
    MPI_Ineighbor_alltoall(values, 1, MPI_INT, received, 1, MPI_INT, line, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    num_wrong += rank < NUM_RANKS - 1 && received[1] != rank + 1;
  }
  talk_as_planned(line, values);
  MPI_Comm_free(&line);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  choose_roots();
  combine();
  divide();
  talk_to_neighbours();
  MPI_Finalize();
  return num_wrong > 0;
}
