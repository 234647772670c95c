// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

namespace espalier::mpi {

/// Microseconds by the clock of MPI, from a moment that each process has for itself.
inline double now_us() {
  return PMPI_Wtime() * 1e6;
}

}  // namespace espalier::mpi
