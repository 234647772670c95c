// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include <mpi.h>

#include "tests/mpi/exec/support.hpp"

namespace espalier::test {

/// Errors that count_error() heard of since they were expected last.
inline int num_handled = 0;

/// An error handler of MPI.
inline void count_error(MPI_Comm*, int*, ...) {
  ++num_handled;
}

inline int class_of(int code) {
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(code, &error_class);
  return error_class;
}

/// The code has the class, and a handler heard of it once.
inline void expect_handled(Checks& checks, int code, int error_class, std::string const& what) {
  checks.expect(class_of(code) == error_class, what + ": class " + std::to_string(class_of(code)));
  checks.expect(num_handled == 1, what + ": handler called " + std::to_string(num_handled));
  num_handled = 0;
}

}  // namespace espalier::test
