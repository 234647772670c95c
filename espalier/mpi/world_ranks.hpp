// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include <mpi.h>

namespace espalier::mpi {

/// Ranks in another communicator, by rank of the first; MPI_UNDEFINED for ranks outside. Local.
/// @param comm of an intercommunicator: its local group.
/// @throws Error mpi.
[[nodiscard]] std::vector<int> world_ranks(MPI_Comm comm, MPI_Comm world = MPI_COMM_WORLD);

}  // namespace espalier::mpi
