// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "espalier/mapping/orders/tree_choice.hpp"
#include "espalier/mpi/own_communicator.hpp"

namespace espalier::plan {

/// Times of the messages of one step of a tree, in microseconds.
struct StepTime {
  double mean_us = 0;  ///< of a call, on the slowest rank
  double sd_us = 0;    ///< square root of the unbiased variance; 0 of one call
};

/// Times each step of the binomial tree from rank 0 alone, as [karlsson2012, table 4.12]: its
/// messages start together after a barrier. Gather and reduce run upwards, from the leaves.
///
/// Collective over own.
/// @param bytes of a rank's part, or the message
/// @param num_calls of each step, after one that is not timed; >= 1
/// @throws Error on all ranks: argument if a message would have more bytes than an int counts,
///   no_memory; mpi.
[[nodiscard]] std::vector<StepTime> time_tree_steps(
    mpi::OwnCommunicator const& own,
    mapping::TreeCollective collective,
    std::int64_t bytes,
    int num_calls
);

}  // namespace espalier::plan
