// SPDX-License-Identifier: Apache-2.0

/// @file
/// Nodes for ranks that all run on this host. A program that defines PMPI_Comm_split_type by
/// split_type(), with default visibility, and exports it, has them for all of its libraries.

#pragma once

#include <dlfcn.h>

#include <mpi.h>

namespace fake_nodes {

/// The number of the node each rank of MPI_COMM_WORLD is on; null: the real ones.
inline int (*node_of)(int world_rank) = nullptr;

inline int cyclic_on_2(int rank) {
  return rank % 2;
}

inline int cyclic_on_3(int rank) {
  return rank % 3;
}

inline int pairs(int rank) {
  return rank / 2;
}

/// What MPI_Comm_split_type(MPI_COMM_TYPE_SHARED) does on such nodes.
inline int split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  if (node_of == nullptr) {
    using Function = int (*)(MPI_Comm, int, int, MPI_Info, MPI_Comm*);
    auto* const real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "PMPI_Comm_split_type"));
    return real(comm, type, key, info, made);
  }
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return PMPI_Comm_split(comm, node_of(rank), key, made);
}

}  // namespace fake_nodes
