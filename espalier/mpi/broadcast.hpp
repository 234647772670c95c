// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include <mpi.h>

namespace espalier::mpi {

/// Values of one rank on all ranks, which need not know how many they are. Collective.
/// @throws Error mpi.
[[nodiscard]] std::string broadcast(MPI_Comm comm, std::string text, int root);
[[nodiscard]] std::vector<int> broadcast(MPI_Comm comm, std::vector<int> values, int root);

}  // namespace espalier::mpi
