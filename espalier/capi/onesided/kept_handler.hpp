// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <utility>

#include <mpi.h>

#include "espalier/mpi/own_communicator.hpp"

namespace espalier::capi {

/// The error handler of a communicator for longer than the communicator, and its group: a
/// duplicate. Only members of new implicit teams send something over it.
class KeptHandler {
public:
  /// @param own  a duplicate
  /// @param comm  what it duplicates
  /// @throws Error mpi.
  KeptHandler(mpi::OwnCommunicator own, MPI_Comm comm) : comm_(own.release(comm)) {}

  KeptHandler(KeptHandler const&) = delete;
  KeptHandler& operator=(KeptHandler const&) = delete;
  KeptHandler(KeptHandler&&) = delete;
  KeptHandler& operator=(KeptHandler&&) = delete;

  ~KeptHandler() { PMPI_Comm_free(&comm_); }

  /// Whose handler it is.
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }

private:
  MPI_Comm comm_;
};

}  // namespace espalier::capi
