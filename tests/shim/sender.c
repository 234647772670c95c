/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A program whose traffic is known: each rank sends to the next one, on the communicator and with
 * the functions that its first argument names. behaviour_traffic.py says what has to be counted.
 */

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

enum { most = 4096, num_threads = 4, num_messages = 50 };

static int rank, size;
static int out[most], in[most];
static MPI_Status statuses[4];

static int after(int steps) {
  return (rank + steps) % size;
}

static int before(int steps) {
  return (rank + size - steps % size) % size;
}

/* Sends `count` numbers to the next rank in the form that a number names; false if there is none.
 */
static int send_form(int form, int count) {
  int const to = after(1);
  MPI_Request send = MPI_REQUEST_NULL, receive = MPI_REQUEST_NULL;
  int const has_receive = form == 8 || form == 9 || form == 10 || form == 11;
  if (!has_receive) {
    MPI_Irecv(in, count, MPI_INT, before(1), 1, MPI_COMM_WORLD, &receive);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  switch (form) {
  case 0:
    MPI_Send(out, count, MPI_INT, to, 1, MPI_COMM_WORLD);
    break;
  case 1:
    MPI_Bsend(out, count, MPI_INT, to, 1, MPI_COMM_WORLD);
    break;
  case 2:
    MPI_Ssend(out, count, MPI_INT, to, 1, MPI_COMM_WORLD);
    break;
  case 3:
    MPI_Rsend(out, count, MPI_INT, to, 1, MPI_COMM_WORLD);
    break;
  case 4:
    MPI_Isend(out, count, MPI_INT, to, 1, MPI_COMM_WORLD, &send);
    break;
  case 5:
    MPI_Ibsend(out, count, MPI_INT, to, 1, MPI_COMM_WORLD, &send);
    break;
  case 6:
    MPI_Issend(out, count, MPI_INT, to, 1, MPI_COMM_WORLD, &send);
    break;
  case 7:
    MPI_Irsend(out, count, MPI_INT, to, 1, MPI_COMM_WORLD, &send);
    break;
  case 8:
    MPI_Sendrecv(
        out,
        count,
        MPI_INT,
        to,
        1,
        in,
        count,
        MPI_INT,
        before(1),
        1,
        MPI_COMM_WORLD,
        MPI_STATUS_IGNORE
    );
    break;
  case 9:
    MPI_Sendrecv_replace(
        out, count, MPI_INT, to, 1, before(1), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE
    );
    break;
#if MPI_VERSION >= 4
  case 10:
    MPI_Isendrecv(
        out, count, MPI_INT, to, 1, in, count, MPI_INT, before(1), 1, MPI_COMM_WORLD, &send
    );
    break;
  case 11:
    MPI_Isendrecv_replace(out, count, MPI_INT, to, 1, before(1), 1, MPI_COMM_WORLD, &send);
    break;
  case 12:
    MPI_Send_c(out, count, MPI_INT, to, 1, MPI_COMM_WORLD);
    break;
  case 13:
    MPI_Isend_c(out, count, MPI_INT, to, 1, MPI_COMM_WORLD, &send);
    break;
#endif
  default:
    MPI_Cancel(&receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    return 0;
  }
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  return 1;
}

static void forms(void) {
  static char buffer[most + 16 * MPI_BSEND_OVERHEAD];
  void* detached = NULL;
  int length = 0;
  int form = 0;
  MPI_Buffer_attach(buffer, sizeof buffer);
#if MPI_VERSION >= 4
  int const last = 13;
#else
  int const last = 9;
#endif
  for (; form <= last; ++form) {
    send_form(form, form + 1);
  }
  MPI_Buffer_detach(&detached, &length);
  MPI_Send(out, 5, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d forms\n", form);
  }
}

static void start_some(MPI_Request* requests) {
  for (int times = 0; times < 2; ++times) {
    MPI_Start(&requests[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Start(&requests[0]);
    MPI_Waitall(2, requests, statuses);
  }
}

static void persistent(void) {
  static char buffer[most + MPI_BSEND_OVERHEAD];
  MPI_Request requests[2];
  void* detached = NULL;
  int length = 0;
  int const to = after(1);
  MPI_Buffer_attach(buffer, sizeof buffer);
  for (int form = 0; form < 4; ++form) {
    MPI_Recv_init(in, most, MPI_INT, before(1), 1, MPI_COMM_WORLD, &requests[1]);
    switch (form) {
    case 0:
      MPI_Send_init(out, 1, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[0]);
      break;
    case 1:
      MPI_Bsend_init(out, 2, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[0]);
      break;
    case 2:
      MPI_Ssend_init(out, 3, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[0]);
      break;
    default:
      MPI_Rsend_init(out, 4, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[0]);
      break;
    }
    start_some(requests);
    if (form != 3) {
      MPI_Startall(2, requests);
      MPI_Waitall(2, requests, statuses);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  }
  MPI_Buffer_detach(&detached, &length);
}

/* Odd and even ranks, the last first. */
static MPI_Comm half(void) {
  MPI_Comm made;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, size - rank, &made);
  return made;
}

static void subcommunicator(void) {
  MPI_Comm comm = half();
  int own = 0, number = 0;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &number);
  for (int times = 0; times < 3; ++times) {
    MPI_Request request;
    MPI_Isend(out, 2, MPI_DOUBLE, (own + 1) % number, 1, comm, &request);
    MPI_Recv(in, 2, MPI_DOUBLE, (own + number - 1) % number, 1, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
  MPI_Comm_free(&comm);
}

static void alltoall(void) {
  int* const numbers = calloc((size_t)size * 3, sizeof(int));
  int* const counts = numbers;
  int* const places = numbers + size;
  int* const in_bytes = numbers + 2 * (ptrdiff_t)size;
  MPI_Datatype* const types = malloc((size_t)size * sizeof(MPI_Datatype));
  MPI_Request request;
  for (int r = 0; r < size; ++r) {
    counts[r] = (rank + r) % 3;
    places[r] = 3 * r;
    in_bytes[r] = 3 * r * (int)sizeof(int);
    types[r] = MPI_INT;
  }
  MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 3, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallw(out, counts, in_bytes, types, in, counts, in_bytes, types, MPI_COMM_WORLD);
  MPI_Ialltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Allreduce(out, in, 16, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Bcast(out, 16, MPI_INT, 0, MPI_COMM_WORLD);
  free(types);
  free(numbers);
}

static void neighbors(void) {
  int const open = 0, ring = 1, counts[2] = {1, 2}, places[2] = {0, 1}, weights[2] = {1, 1};
  int const to[2] = {after(1), after(2)}, from[2] = {before(1), before(2)};
  MPI_Comm line, circle, graph;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &line);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &ring, 0, &circle);
  MPI_Dist_graph_create_adjacent(
      MPI_COMM_WORLD, 2, from, weights, 2, to, weights, MPI_INFO_NULL, 0, &graph
  );
  MPI_Neighbor_allgather(out, 4, MPI_INT, in, 4, MPI_INT, line);
  MPI_Neighbor_alltoall(out, 8, MPI_INT, in, 8, MPI_INT, circle);
  MPI_Neighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, graph);
  MPI_Comm_free(&line);
  MPI_Comm_free(&circle);
  MPI_Comm_free(&graph);
}

static void one_sided(void) {
  int const to = after(1);
  int one = 1, old = 0, zero = 0;
  int* memory = NULL;
  MPI_Win window;
  MPI_Request requests[4];
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_fence(0, window);
  MPI_Put(out, 3, MPI_INT, to, 0, 3, MPI_INT, window);
  MPI_Get(in, 5, MPI_INT, to, 8, 5, MPI_INT, window);
  MPI_Accumulate(out, 2, MPI_INT, to, 16, 2, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  MPI_Win_lock_all(0, window);
  MPI_Get_accumulate(out, 4, MPI_INT, in, 4, MPI_INT, to, 24, 4, MPI_INT, MPI_SUM, window);
  MPI_Get_accumulate(NULL, 0, MPI_INT, in, 6, MPI_INT, to, 24, 6, MPI_INT, MPI_NO_OP, window);
  MPI_Fetch_and_op(&one, &old, MPI_INT, to, 40, MPI_SUM, window);
  MPI_Compare_and_swap(&one, &zero, &old, MPI_INT, to, 41, window);
  MPI_Rput(out, 1, MPI_INT, to, 48, 1, MPI_INT, window, &requests[0]);
  MPI_Rget(in, 1, MPI_INT, to, 50, 1, MPI_INT, window, &requests[1]);
  MPI_Raccumulate(out, 1, MPI_INT, to, 52, 1, MPI_INT, MPI_SUM, window, &requests[2]);
  MPI_Rget_accumulate(
      out, 1, MPI_INT, in + 64, 1, MPI_INT, to, 54, 1, MPI_INT, MPI_SUM, window, &requests[3]
  );
  MPI_Waitall(4, requests, statuses);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

/* The lower half of the ranks and the upper one. */
static void intercommunicator(void) {
  int const first_above = size / 2;
  int const is_above = rank >= first_above;
  if (size < 2) {
    return;
  }
  MPI_Comm part, between;
  int own = 0, number = 0;
  MPI_Comm_split(MPI_COMM_WORLD, is_above, rank, &part);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, is_above ? 0 : first_above, 7, &between);
  MPI_Comm_rank(between, &own);
  MPI_Comm_remote_size(between, &number);
  if (own == 0) {
    MPI_Request request;
    MPI_Isend(out, 6, MPI_INT, number - 1, 1, between, &request);
    MPI_Request_free(&request);
  }
  MPI_Comm_size(between, &number);
  if (own == number - 1) {
    MPI_Recv(in, 6, MPI_INT, 0, 1, between, MPI_STATUS_IGNORE);
  }
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, between);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&between);
  MPI_Comm_free(&part);
}

struct Thread {
  pthread_t thread;
  int number;
  MPI_Comm* comm;
};

static void* send_many(void* pointer) {
  struct Thread const* const own = pointer;
  int received = 0;
  for (int i = 0; i < num_messages; ++i) {
    MPI_Request request;
    MPI_Isend(out, 1 + own->number, MPI_INT, after(1), own->number, *own->comm, &request);
    MPI_Recv(
        &in[most / num_threads * own->number],
        1 + own->number,
        MPI_INT,
        before(1),
        own->number,
        *own->comm,
        MPI_STATUS_IGNORE
    );
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    ++received;
  }
  return received == num_messages ? NULL : pointer;
}

static void threads(void) {
  struct Thread all[num_threads];
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < num_threads; ++i) {
    all[i].number = i;
    all[i].comm = &comm;
    pthread_create(&all[i].thread, NULL, send_many, &all[i]);
  }
  for (int i = 0; i < num_threads; ++i) {
    pthread_join(all[i].thread, NULL);
  }
  MPI_Comm_free(&comm);
}

/* One handle after the other may be that of another communicator. */
static void many_communicators(void) {
  for (int i = 0; i < 300; ++i) {
    MPI_Comm comm;
    int own = 0, number = 0;
    MPI_Comm_split(MPI_COMM_WORLD, 0, i % 2 ? rank : size - rank, &comm);
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &number);
    MPI_Sendrecv(
        out,
        1,
        MPI_INT,
        (own + 1) % number,
        1,
        in,
        1,
        MPI_INT,
        (own + number - 1) % number,
        1,
        comm,
        MPI_STATUS_IGNORE
    );
    MPI_Comm_free(&comm);
  }
}

static void exchange_once(void) {
  MPI_Sendrecv(
      out, 1, MPI_INT, after(1), 1, in, 1, MPI_INT, before(1), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE
  );
}

static void end_without_finalize(void) {
  exchange_once();
  MPI_Barrier(MPI_COMM_WORLD);
  exit(0);
}

static void end_by_abort(void) {
  exchange_once();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  sleep(20);
}

struct Part {
  char const* name;
  void (*run)(void);
};

static struct Part const parts[] = {
    {"forms", forms},
    {"persistent", persistent},
    {"subcommunicator", subcommunicator},
    {"alltoall", alltoall},
    {"neighbors", neighbors},
    {"one_sided", one_sided},
    {"intercommunicator", intercommunicator},
    {"threads", threads},
    {"many_communicators", many_communicators},
    {"exit", end_without_finalize},
    {"abort", end_by_abort},
};

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int num_run = 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    if (argc > 1 && strcmp(argv[1], parts[i].name) == 0) {
      parts[i].run();
      ++num_run;
    }
  }
  MPI_Finalize();
  return num_run == 1 && provided == MPI_THREAD_MULTIPLE ? 0 : 1;
}
