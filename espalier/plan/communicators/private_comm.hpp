// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include "espalier/plan/settings/statistics.hpp"

namespace espalier::plan {

/// A communicator of the same ranks for our own messages: without attributes, hints and topology,
/// with the error handler MPI_ERRORS_RETURN. Collective over `user`.
/// @return MPI_SUCCESS or an MPI code; nothing was delivered to an error handler.
[[nodiscard]] int make_private_comm(MPI_Comm user, MPI_Comm& made) noexcept;

/// The same in a call of the user's, which it adds to `total` if it succeeds.
[[nodiscard]] int
make_private_comm(MPI_Comm user, MPI_Comm& made, OwnCommunicators& total) noexcept;

}  // namespace espalier::plan
