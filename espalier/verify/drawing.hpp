// SPDX-License-Identifier: Apache-2.0

/// @file
/// Pictures of schedules as text; the head of every algorithm file has one.

#pragma once

#include <string>

#include "espalier/algorithms/catalog.hpp"

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

/// Who sends which blocks to whom: `round 0: 0 -> 1 {0}`, one line per message.
/// @throws Error as Choice::generate.
[[nodiscard]] std::string draw_messages(algorithms::Choice const& choice, int num_ranks, int root);

}  // namespace espalier::verify
