// SPDX-License-Identifier: Apache-2.0

/// @file
/// The program that `espalier run` was asked to run: it says so if that one ends and never came to
/// MPI_Init, or came to one that is linked into it. Shells and interpreters around it say nothing.

#pragma once

namespace espalier::shim {

/// The process came to MPI_Init.
void note_start_of_mpi() noexcept;

}  // namespace espalier::shim
