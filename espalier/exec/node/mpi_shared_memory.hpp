// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <optional>

#include <mpi.h>

#include "espalier/exec/node/shared_memory.hpp"

namespace espalier::exec::node {

/// What one rank says, if all say it. Collective.
/// @throws Error mpi.
[[nodiscard]] bool is_true_on_all(MPI_Comm comm, bool is_true);

/// Bytes that belong to a rank.
struct OwnBytes {
  std::size_t begin = 0;
  std::size_t num_bytes = 0;
};

/// Memory of all ranks of a communicator inside one node: the first makes it, the others open it,
/// and each makes its own bytes exist. What one of them cannot have nobody has. Collective.
/// @throws Error mpi.
[[nodiscard]] std::optional<SharedMemory>
share_memory(MPI_Comm local, std::size_t num_bytes, OwnBytes own);

/// Whether the ranks of a communicator inside one node share processors. Collective.
/// @throws Error mpi.
[[nodiscard]] bool share_processors(MPI_Comm local);

}  // namespace espalier::exec::node
