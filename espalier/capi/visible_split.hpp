// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

#include "espalier/mpi/own_communicator.hpp"

namespace espalier::capi {

/// All ranks of a communicator in the order of their keys, made by the MPI_Comm_split that programs
/// call: the preload library and other tools see it as a communicator of the program. Collective.
/// @throws Error mpi.
[[nodiscard]] MPI_Comm visible_split(mpi::OwnCommunicator const& own, int key);

}  // namespace espalier::capi
