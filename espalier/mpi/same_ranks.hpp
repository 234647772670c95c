// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

namespace espalier::mpi {

/// Makes a communicator of the same ranks in the same order, without the attributes, hints and
/// topology of this one: other than MPI_Comm_dup, it calls no function of the program that copies
/// attributes. Errors in calls on it are returned. Collective.
/// @return MPI_SUCCESS, or a code of MPI; then nothing was made.
[[nodiscard]] int make_same_ranks(MPI_Comm comm, MPI_Comm& made) noexcept;

}  // namespace espalier::mpi
