// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <mpi.h>

namespace espalier::measure {

/// Ranks of a communicator that share memory.
struct Node {
  int first_rank = 0;
  int num_ranks = 1;
  /// Logical processors that at least one of them may use.
  int num_cpus = 1;
};

/// Collective: the node of this rank.
/// @throws Error mpi
[[nodiscard]] Node describe_node(MPI_Comm comm);

}  // namespace espalier::measure
