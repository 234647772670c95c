// SPDX-License-Identifier: Apache-2.0

/// @file
/// Partners whose distances grow like the numbers with all negabinary digits one:
/// 1, -1, 3, -5, 11, -21, ... Two in three of the hops that powers of two need.

#pragma once

#include <cstdint>

namespace espalier::pattern {

/// 1 - 2 + 4 - ... with step + 1 terms, the number that is 11...1 to the base -2; always odd.
/// step in 0 .. 61.
[[nodiscard]] std::int64_t negabinary_ones(int step) noexcept;

/// Whom `rank` meets in a step, on a ring of an even number p of ranks: even ranks look
/// negabinary_ones(step) ahead, odd ranks as far back. So meeting is mutual, and an even rank
/// always meets an odd one.
///
/// If p is a power of two, steps 0 .. log2 p - 1 in any order, each rank handing over all it has,
/// bring everything to everybody exactly once; for other even p steps 0 .. ceil(log2 p) - 1 bring
/// everything, some of it twice.
[[nodiscard]] int negabinary_partner(int p, int rank, int step) noexcept;

/// Steps num_steps - 1, ..., 1, 0 reach a run of 2^num_steps ranks, modulo p: its first rank, when
/// they begin at `rank`. Needs 2^num_steps <= p.
[[nodiscard]] int negabinary_run_begin(int p, int rank, int num_steps) noexcept;

}  // namespace espalier::pattern
