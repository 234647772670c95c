// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::capi {

/// From now on the MPI library moves on what is underway wherever it waits, until MPI_Finalize, if
/// it can be made to (espalier/plan/progress/progress.hpp) and the program has called MPI_Init.
/// Otherwise requests move on in functions of this library only. Local, any number of times, from
/// any thread.
/// @throws Error mpi
void let_library_make_progress();

}  // namespace espalier::capi
