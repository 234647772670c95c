// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <utility>

#include <mpi.h>

#include "espalier/plan/failure.hpp"

namespace espalier::capi {

/// @throws plan::ClassError of the class MPI_ERR_COMM.
void check_intracommunicator(MPI_Comm comm);

/// Keeps the text of the exception being handled for espalier_last_error() of this thread.
void remember_exception() noexcept;

/// Runs an action, and remembers what it throws.
template <typename Action> void remembering(Action&& action) {
  try {
    std::forward<Action>(action)();
  } catch (...) {
    remember_exception();
    throw;
  }
}

/// Every exported function that has a communicator is this: what the action throws is delivered to
/// the error handler of the communicator, and returned.
template <typename Action> int on(MPI_Comm comm, Action&& action) noexcept {
  int const code = plan::guard([&] {
    remembering([&] {
      check_intracommunicator(comm);
      std::forward<Action>(action)();
    });
    return MPI_SUCCESS;
  });
  if (code == MPI_SUCCESS) {
    return code;
  }
  return plan::raise(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm, code);
}

}  // namespace espalier::capi
