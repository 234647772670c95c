// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

namespace espalier::mpi {

/// Lets MPI send and receive what is on its way, whatever has come, and notice that the job is to
/// end. Waits for nothing.
/// @param comm  of which no message has unused_tag()
/// @return the code of MPI
int make_progress(MPI_Comm comm) noexcept;

}  // namespace espalier::mpi
