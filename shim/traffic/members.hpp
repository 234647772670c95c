// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include <mpi.h>

namespace espalier::shim::traffic {

/// In place of a rank of MPI_COMM_WORLD: a process that is not in it, and MPI_PROC_NULL.
inline constexpr int outside = -1;
inline constexpr int nobody = -2;

/// To whom a rank can send on a communicator or in a window, as ranks of MPI_COMM_WORLD.
struct Members {
  std::vector<int> ranks;  ///< by rank of the communicator; of the remote group, if it has one
  std::vector<int> destinations;  ///< of neighborhood collectives, by number of the block
  bool is_own = false;            ///< a communicator of Espalier, whose messages are not counted
};

/// Makes what the two functions below need. Once, after MPI_Init.
/// @throws Error mpi.
void prepare_members();

/// Found once for each communicator, and kept until it is freed. Threads may call it at once.
/// @return nullptr if the MPI library did not answer.
[[nodiscard]] Members const* members_of(MPI_Comm comm) noexcept;
[[nodiscard]] Members const* members_of_window(MPI_Win window) noexcept;

}  // namespace espalier::shim::traffic
