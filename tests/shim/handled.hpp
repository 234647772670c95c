// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

namespace shim_test {

inline int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

/// What on_error() heard of: how often, and of what the last time.
inline int num_handled = 0;
inline MPI_Comm handled_comm = MPI_COMM_NULL;
inline int handled_code = MPI_SUCCESS;

/// An error handler of MPI.
inline void on_error(MPI_Comm* comm, int* code, ...) {
  ++num_handled;
  handled_comm = *comm;
  handled_code = *code;
}

}  // namespace shim_test
