/* SPDX-License-Identifier: Apache-2.0 */

#define _GNU_SOURCE
#include "calls.h"

#include <dlfcn.h>
#include <stdio.h>

enum call {
  barrier,
  bcast,
  allreduce,
  reduce,
  allgather,
  scatter,
  gather,
  alltoall,
  reduce_scatter_block,
  scan
};

char const* const call_names[num_calls] = {
    [barrier] = "barrier",
    [bcast] = "bcast",
    [allreduce] = "allreduce",
    [reduce] = "reduce",
    [allgather] = "allgather",
    [scatter] = "scatter",
    [gather] = "gather",
    [alltoall] = "alltoall",
    [reduce_scatter_block] = "reduce_scatter_block",
    [scan] = "scan",
};

struct functions functions_of_program(void) {
  return (struct functions){
      .barrier = MPI_Barrier,
      .bcast = MPI_Bcast,
      .allreduce = MPI_Allreduce,
      .reduce = MPI_Reduce,
      .scan = MPI_Scan,
      .reduce_scatter_block = MPI_Reduce_scatter_block,
      .allgather = MPI_Allgather,
      .alltoall = MPI_Alltoall,
      .gather = MPI_Gather,
      .scatter = MPI_Scatter,
  };
}

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

struct functions functions_of_library(void) {
  struct functions found;
  *(void**)&found.barrier = in_library("PMPI_Barrier");
  *(void**)&found.bcast = in_library("PMPI_Bcast");
  *(void**)&found.allreduce = in_library("PMPI_Allreduce");
  *(void**)&found.reduce = in_library("PMPI_Reduce");
  *(void**)&found.scan = in_library("PMPI_Scan");
  *(void**)&found.reduce_scatter_block = in_library("PMPI_Reduce_scatter_block");
  *(void**)&found.allgather = in_library("PMPI_Allgather");
  *(void**)&found.alltoall = in_library("PMPI_Alltoall");
  *(void**)&found.gather = in_library("PMPI_Gather");
  *(void**)&found.scatter = in_library("PMPI_Scatter");
  return found;
}

int real_bytes(int call, int bytes, int num_ranks) {
  int const element = (int)sizeof(double);
  int unit = 1;
  switch (call) {
  case barrier:
    return 0;
  case bcast:
    break;
  case allreduce:
  case reduce:
  case scan:
    unit = element;
    break;
  case reduce_scatter_block:
    unit = element * num_ranks;
    break;
  default:
    unit = num_ranks;
  }
  return (bytes + unit - 1) / unit * unit;
}

void make_call(int call, struct functions const* by, int bytes, struct memory const* memory) {
  MPI_Comm const comm = MPI_COMM_WORLD;
  int const count = bytes / (int)sizeof(double);
  int const block = bytes / memory->num_ranks;
  char* const in = memory->in;
  char* const out = memory->out;
  switch (call) {
  case barrier:
    by->barrier(comm);
    break;
  case bcast:
    by->bcast(out, bytes, MPI_BYTE, 0, comm);
    break;
  case allreduce:
    by->allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
    break;
  case reduce:
    by->reduce(in, out, count, MPI_DOUBLE, MPI_SUM, 0, comm);
    break;
  case allgather:
    by->allgather(in, block, MPI_BYTE, out, block, MPI_BYTE, comm);
    break;
  case scatter:
    by->scatter(in, block, MPI_BYTE, out, block, MPI_BYTE, 0, comm);
    break;
  case gather:
    by->gather(in, block, MPI_BYTE, out, block, MPI_BYTE, 0, comm);
    break;
  case alltoall:
    by->alltoall(in, block, MPI_BYTE, out, block, MPI_BYTE, comm);
    break;
  case reduce_scatter_block:
    by->reduce_scatter_block(in, out, count / memory->num_ranks, MPI_DOUBLE, MPI_SUM, comm);
    break;
  default:
    by->scan(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
  }
}
