/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A plain MPI program that completes nonblocking collectives by each function there is, after a nap
 * of 5 ms. The collectives differ in their size: 4 bytes for the first function, 8 for the second,
 * and so on, and those of the last size are completed in pairs. Exit code 1: a result was wrong.
 */

#include <stdbool.h>
#include <time.h>

#include <mpi.h>

enum { num_functions = 8, most_numbers = 1 << num_functions, num_calls = 3 };

static int own[most_numbers];
static int sums[2][most_numbers];

static void nap(void) {
  struct timespec const duration = {.tv_nsec = 5000000};
  nanosleep(&duration, NULL);
}

static void wait(MPI_Request* request) {
  MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void waitany(MPI_Request* request) {
  int index = 0;
  MPI_Waitany(1, request, &index, MPI_STATUS_IGNORE);
}

static void waitsome(MPI_Request* request) {
  int count = 0;
  int index = 0;
  MPI_Waitsome(1, request, &count, &index, MPI_STATUSES_IGNORE);
}

static void waitall(MPI_Request* request) {
  MPI_Waitall(1, request, MPI_STATUSES_IGNORE);
}

static void test(MPI_Request* request) {
  for (int flag = 0; !flag;) {
    MPI_Test(request, &flag, MPI_STATUS_IGNORE);
  }
}

static void testany(MPI_Request* request) {
  int index = 0;
  for (int flag = 0; !flag;) {
    MPI_Testany(1, request, &index, &flag, MPI_STATUS_IGNORE);
  }
}

static void testsome(MPI_Request* request) {
  int index = 0;
  for (int count = 0; count == 0;) {
    MPI_Testsome(1, request, &count, &index, MPI_STATUSES_IGNORE);
  }
}

static void testall(MPI_Request* request) {
  for (int flag = 0; !flag;) {
    MPI_Testall(1, request, &flag, MPI_STATUSES_IGNORE);
  }
}

static void (*const completes[num_functions])(MPI_Request*) = {
    wait, waitany, waitsome, waitall, test, testany, testsome, testall
};

static void start(int i, int* sum, MPI_Request* request) {
  MPI_Iallreduce(own, sum, 1 << i, MPI_INT, MPI_SUM, MPI_COMM_WORLD, request);
}

static void complete_pairs(void) {
  for (int call = 0; call < num_calls; ++call) {
    MPI_Request requests[2];
    start(num_functions, sums[0], &requests[0]);
    MPI_Ibcast(sums[1], 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int num_ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  for (int i = 0; i < most_numbers; ++i) {
    own[i] = i;
  }
  bool is_right = true;
  for (int i = 0; i < num_functions; ++i) {
    for (int call = 0; call < num_calls; ++call) {
      MPI_Request request = MPI_REQUEST_NULL;
      start(i, sums[0], &request);
      nap();
      completes[i](&request);
      int const last = (1 << i) - 1;
      is_right = is_right && request == MPI_REQUEST_NULL && sums[0][last] == last * num_ranks;
    }
  }
  complete_pairs();
  MPI_Finalize();
  return is_right ? 0 : 1;
}
