// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include <mpi.h>

#include "espalier/mapping/orders/tree_choice.hpp"
#include "espalier/mpi/own_communicator.hpp"

namespace espalier::plan {

/// Calls of MPI's own collective in two orders of the same ranks.
struct TreeTrial {
  mapping::TreeCollective collective = mapping::TreeCollective::scatter;
  int root = 0;            ///< in the communicator of the standard order
  std::int64_t bytes = 0;  ///< of a rank's part, or the message
  int num_calls = 1;       ///< in each order, after one that is not timed; >= 1
};

/// Median times of a call on the slowest rank, in microseconds.
struct TrialTimes {
  double standard_us = 0;
  double ordered_us = 0;
};

/// Calls take turns, each begins after a barrier. Collective over own; `ordered` has the same
/// ranks, and the root is its rank 0.
/// @throws Error no_memory on all ranks if one has none left for the parts; mpi.
[[nodiscard]] TrialTimes
try_tree_order(mpi::OwnCommunicator const& own, MPI_Comm ordered, TreeTrial const& trial);

}  // namespace espalier::plan
