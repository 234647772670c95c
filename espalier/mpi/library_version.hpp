// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace espalier::mpi {

/// What MPI_Get_library_version says. Local. @throws Error mpi.
[[nodiscard]] std::string library_version();

}  // namespace espalier::mpi
