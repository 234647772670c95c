// SPDX-License-Identifier: Apache-2.0

/// @file
/// Native phases: steps around a collective of the MPI library, and the call itself.

#pragma once

#include <mpi.h>

#include "espalier/exec/messages/mpi_memory.hpp"
#include "espalier/exec/messages/mpi_program.hpp"

namespace espalier::exec {

/// Makes the call, which is collective over its communicator.
/// @return MPI_SUCCESS or the code of an error.
int run_native(MpiNativeCall const& call, MPI_Op op, Bases const& bases) noexcept;

}  // namespace espalier::exec
