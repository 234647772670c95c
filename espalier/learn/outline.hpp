// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/cost/replay/setting.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::learn {

/// The programs of the first, the middle and the last rank: enough to say how the time of a choice
/// grows with the ranks, in a small part of the time that a replay of all of them needs.
/// @throws Error as Choice::generate.
[[nodiscard]] std::vector<schedule::RankProgram>
outline_programs(algorithms::Choice const& choice, int num_ranks);

/// Seconds that a choice takes by what these ranks do, round after round, as if nothing were
/// shared; rounds in which none of them does anything take as long as the others do on average.
/// @param programs  as of outline_programs()
/// @param num_bytes of the whole result.
[[nodiscard]] double outline(
    std::span<schedule::RankProgram const> programs, cost::Setting const& setting, double num_bytes
);

}  // namespace espalier::learn
