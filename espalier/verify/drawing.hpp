// SPDX-License-Identifier: Apache-2.0

/// @file
/// Pictures of schedules as text; the head of every algorithm file has one.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::verify {

/// Which blocks each rank holds after each round:
///
///     blocks held, p = 3     rank 0   rank 1   rank 2
///     start                  0        1        2
///     after round 0          02       01       12
///     after round 1          012      012      012
///
/// Blocks are digits without separators up to 10 of them, runs (`0-3,7`) beyond. Arguments of the
/// choice stand behind p.
/// @throws Error as Choice::generate; unsupported if the prover rejects the schedule.
[[nodiscard]] std::string draw_holdings(algorithms::Choice const& choice, int num_ranks, int root);

/// What each rank sends in each round; a native call is drawn as schedule::meeting():
///
///     sent, p = 4     rank 0    rank 1    rank 2    rank 3
///     round 0         1:0(0)    0:0(1)    3:0(2)    2:0(3)
///     round 1         2:0(01)   3:0(01)   0:0(23)   1:0(23)
///
/// A cell has `receiver:blocks` for each message, with the ranks whose contributions are combined
/// in them for reductions, and `from to` of each block for alltoall; a signal has no blocks.
/// @throws Error as draw_holdings.
[[nodiscard]] std::string draw_sent(algorithms::Choice const& choice, int num_ranks, int root);

/// One message of a schedule.
struct Sent {
  int round = 0;
  int sender = 0;
  int receiver = 0;
  int operation = 0;  ///< of the sender
  std::int64_t num_blocks = 0;
  std::string cargo;  ///< as in draw_sent
};

/// All messages by round, sender and position in the program.
/// @throws Error as draw_holdings.
[[nodiscard]] std::vector<Sent>
sent_messages(algorithms::Choice const& choice, int num_ranks, int root);

/// Who sends which blocks to whom: `round 0: 0 -> 1 {0}`, one line per message.
/// @throws Error as Choice::generate.
[[nodiscard]] std::string draw_messages(algorithms::Choice const& choice, int num_ranks, int root);

/// The same of programs.
[[nodiscard]] std::string draw_messages(std::span<schedule::RankProgram const> programs);

}  // namespace espalier::verify
