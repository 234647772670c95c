// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

namespace espalier::watch {

/// Who takes part in the calls on a communicator.
struct Members {
  std::string name;  ///< of the communicator, empty if it has none
  int num_ranks = 1;
  int rank = 0;
  bool has_world_ranks = false;  ///< every member has its rank of MPI_COMM_WORLD
  /// Ranks in MPI_COMM_WORLD of all members, negative for those outside. Empty if they are the
  /// same, or not known.
  std::vector<int> world_ranks;
};

}  // namespace espalier::watch
