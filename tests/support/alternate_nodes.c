// SPDX-License-Identifier: Apache-2.0

/// @file
/// A program that is linked with this and exports it, or in which it is preloaded, has ranks on two
/// nodes in turn, for all of its libraries.

#include <stdio.h>

#include <mpi.h>

/// What MPI_Comm_split_type(MPI_COMM_TYPE_SHARED) does on such nodes.
// NOLINTNEXTLINE(readability-identifier-naming)
__attribute__((visibility("default"))) int
PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  (void)type;
  (void)info;
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return PMPI_Comm_split(comm, rank % 2, key, made);
}

/// What the nodes are called.
// NOLINTNEXTLINE(readability-identifier-naming)
__attribute__((visibility("default"))) int PMPI_Get_processor_name(char* name, int* length) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "alternate%d", rank % 2);
  return MPI_SUCCESS;
}
