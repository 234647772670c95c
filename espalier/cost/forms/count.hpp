// SPDX-License-Identifier: Apache-2.0

/// @file
/// The factors of a schedule's time on a machine without contention, counted from its programs.
/// Unit tests hold the closed forms of the algorithms (Facts) against them.

#pragma once

#include <cstdint>
#include <span>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::cost {

/// Rounds, and sums over rounds of what the busiest rank does in each. Blocks are of one size.
struct Work {
  int rounds = 0;
  std::int64_t volume = 0;      ///< blocks sent or received, whichever is more
  std::int64_t reductions = 0;  ///< blocks combined

  friend bool operator==(Work const&, Work const&) = default;
};

/// Of the programs of all ranks.
[[nodiscard]] Work count(std::span<schedule::RankProgram const> programs);

/// The same, holding one program at a time.
/// @throws Error as Choice::generate.
[[nodiscard]] Work count(algorithms::Choice const& choice, int num_ranks, int root);

}  // namespace espalier::cost
