// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/schedule/one_sided.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::schedule {

/// What of a one-sided program moves data, or says of data: operations [begin, end), and counters
/// from the given one on. Before and behind it ranks find out who has entered and who may leave.
struct MovingPart {
  int begin = 0;
  int end = 0;
  int first_counter = 0;
};

/// Runs the moving part once for each segment of the blocks, one behind the other:
///
///     enter | segment 0 | segment 1 | ... | leave
///
/// Each segment has blocks and counters of its own, so that it waits for what it waited for before
/// and for no other one. Nothing of this depends on other ranks.
/// @throws Error unsupported for an alltoall, whose blocks are not of one vector; argument if there
///     are more segments than an int numbers.
[[nodiscard]] RankProgram
in_segments(RankProgram const& whole, Segments const& segments, MovingPart const& part);

}  // namespace espalier::schedule
