/* SPDX-License-Identifier: Apache-2.0 */

#ifndef ESPALIER_BENCHMARKS_NODE_CALLS_H
#define ESPALIER_BENCHMARKS_NODE_CALLS_H

#include <mpi.h>

enum { num_calls = 10 };

extern char const* const call_names[num_calls];

/* The functions of the calls, as the program or as the MPI library defines them. */
struct functions {
  int (*barrier)(MPI_Comm);
  int (*bcast)(void*, int, MPI_Datatype, int, MPI_Comm);
  int (*allreduce)(void const*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
  int (*reduce)(void const*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
  int (*scan)(void const*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
  int (*reduce_scatter_block)(void const*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
  int (*allgather)(void const*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
  int (*alltoall)(void const*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
  int (*gather)(void const*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm);
  int (*scatter)(void const*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm);
};

/* As the program calls them, which a preloaded library may serve. */
struct functions functions_of_program(void);

/* Those of the MPI library itself. Ends all ranks if it lacks one. */
struct functions functions_of_library(void);

/* The next size that a call can have; sizes are those of the whole result. A barrier has none. */
int real_bytes(int call, int bytes, int num_ranks);

/* What calls read and write, each with room for the whole result, and the number of ranks. */
struct memory {
  char* in;
  char* out;
  int num_ranks;
};

/* Calls among all ranks, with rank 0 as the root; the size is one of real_bytes(). */
void make_call(int call, struct functions const* by, int bytes, struct memory const* memory);

#endif
