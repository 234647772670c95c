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

/// Remembers what the MPI library says of a code, where nothing was thrown.
void remember_code(int code) noexcept;

/// Runs an action, and remembers what it throws.
template <typename Action> void remembering(Action&& action) {
  try {
    std::forward<Action>(action)();
  } catch (...) {
    remember_exception();
    throw;
  }
}

/// Runs an action, which returns a code. What it throws or returns is returned, and delivered to
/// the error handler of a communicator, which is asked for only if something failed.
template <typename User, typename Action> int delivering(User&& user, Action&& action) noexcept {
  int const code = plan::guard([&] {
    int result = MPI_SUCCESS;
    remembering([&] { result = std::forward<Action>(action)(); });
    if (result != MPI_SUCCESS) {
      remember_code(result);
    }
    return result;
  });
  return code == MPI_SUCCESS ? code : plan::raise(std::forward<User>(user)(), code);
}

/// Every exported function that has a communicator is this: what the action throws is delivered to
/// the error handler of the communicator, and returned.
template <typename Action> int on(MPI_Comm comm, Action&& action) noexcept {
  return delivering(
      [&] { return comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm; },
      [&] {
        check_intracommunicator(comm);
        std::forward<Action>(action)();
        return MPI_SUCCESS;
      }
  );
}

}  // namespace espalier::capi
