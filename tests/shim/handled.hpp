// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

#include <mpi.h>

#include "tests/shim/support.hpp"

namespace shim_test {

inline int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

/// An error handler learns which function called it, and that is ours: so texts of our errors begin
/// with the function of the program. MPICH gives codes that are added the texts of other errors.
inline void require_name(int code, std::string_view function) {
#ifdef OPEN_MPI
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::string const expected = "espalier: " + std::string(function) + ": ";
  require(std::string(text).starts_with(expected), "expected '" + expected + "', got " + text);
#else
  (void)code;
  (void)function;
#endif
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
