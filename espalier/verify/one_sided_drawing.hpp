// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>

#include "espalier/schedule/program.hpp"

namespace espalier::verify {

/// What each rank puts, gets and signals in each round:
///
///     one-sided, p = 3   rank 0      rank 1   rank 2
///     round 0            -           0!       0!
///     round 1            1:0 2:0     -        -
///
/// A cell has `peer:blocks` for a put, `peer?blocks` for a get and `peer!` for a signal. Blocks are
/// labels: digits without separators up to 10 of them, runs (`0-3,7`) beyond.
[[nodiscard]] std::string draw_one_sided(std::span<schedule::RankProgram const> programs);

}  // namespace espalier::verify
