// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include <mpi.h>

#include "tests/shim/support.hpp"

namespace shim_test {

/// Whether ranks are expected in another order where that is better.
inline bool is_mapped = false;

/// The value of each rank.
inline std::vector<int> all_of(MPI_Comm comm, int value) {
  std::vector<int> values(static_cast<std::size_t>(size_of(comm)));
  MPI_Allgather(&value, 1, MPI_INT, values.data(), 1, MPI_INT, comm);
  return values;
}

inline int error_class(int code) {
  int result = code;
  MPI_Error_class(code, &result);
  return result;
}

/// A duplicate of MPI_COMM_WORLD whose errors are returned.
inline MPI_Comm forgiving() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

/// With ranks on the nodes of fake_nodes.hpp.
void check_grids();
void check_graphs();

/// Whatever the nodes.
void check_odd_grids();
void check_dims();
void check_wrong_graphs();

}  // namespace shim_test
