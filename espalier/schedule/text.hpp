// SPDX-License-Identifier: Apache-2.0

/// @file
/// Programs as text for people: one operation a line. The JSON form is for machines.

#pragma once

#include <span>
#include <string>

#include "espalier/schedule/program.hpp"

namespace espalier::schedule {

/// A head line and one line per operation:
///
///     rank 1 of 4: 4 output blocks, 3 rounds
///     0  round 0 recv from 0 output 0
///     1  round 0 send to 2 output 1
///     2  round 1 recv from 0 output 3 after 2
///
/// One-sided operations name memory of the peer as `output 0 of 2`, and counters:
///
///     0  round 0 signal to 2 raises 1
///     1  round 0 await counter 0 at 2
///     2  round 1 put output 0 into output 0 of 2 raises 0 after 2
[[nodiscard]] std::string to_text(RankProgram const& program);

/// One operation on one line, without its number: `round 1 recv from 0 output 3 after 2`.
[[nodiscard]] std::string to_text(RankProgram const& program, Operation const& operation);

/// Numbers as runs: `0-3,7`. Keeps the order and repetitions.
[[nodiscard]] std::string runs_to_text(std::span<int const> numbers);

[[nodiscard]] std::string to_string(Kind kind);
[[nodiscard]] std::string to_string(Buffer buffer);

}  // namespace espalier::schedule
