// SPDX-License-Identifier: Apache-2.0

/// @file
/// What two ranks do in the benchmarks of messages: answer each other, or send without a pause.
/// One block is one message.

#pragma once

#include <vector>

#include "espalier/schedule/program.hpp"

namespace espalier::cost {

/// Rank 0 sends a block to rank 1, which answers with a message without data.
[[nodiscard]] std::vector<schedule::RankProgram> answered_message();

/// Rank 0 gets a block from rank 1, which does nothing.
[[nodiscard]] std::vector<schedule::RankProgram> plain_get();

/// Rank 0 sends blocks to ranks 1 .. num_peers in turn, all at once, with receives posted.
[[nodiscard]] std::vector<schedule::RankProgram> flood(int num_peers, int num_messages);

}  // namespace espalier::cost
