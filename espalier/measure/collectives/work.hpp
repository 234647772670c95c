// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include "espalier/measure/collectives/measurement_plan.hpp"

namespace espalier::measure {

/// What a program does between the start of a nonblocking call and its completion: computing, or a
/// function of the user, in pieces with an MPI_Test after each of them but the last one.
class Work {
public:
  /// Local. A library that is loaded stays.
  /// @throws Error argument if the library cannot be loaded, or has no such function.
  explicit Work(WorkRequest const& request);

  /// Does the work and completes the request with MPI_Wait. MPI_SUCCESS or the code of an error.
  [[nodiscard]] int complete(MPI_Request& request) const;

private:
  void do_piece() const;

  void (*function_)() = nullptr;  ///< null: computing
  double seconds_of_piece_;
  int num_tests_;
};

}  // namespace espalier::measure
