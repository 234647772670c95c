// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/algorithms/algorithm.hpp"

namespace espalier::algorithms {

/// The program of one rank in a broadcast from `root`, backwards: what it received it sends, with
/// what it has heard of the same piece combined into it. Takes as many rounds.
///
/// The root combines into the result, the others into scratch: one block for each piece they hear
/// of, and one more if they hear of it more than once. Operands come in no particular order.
/// @param bcast with one rank's messages in a round at most one each way, num_rounds rounds in all.
[[nodiscard]] schedule::RankProgram
reversed_bcast(schedule::RankProgram const& bcast, int num_rounds, int root);

}  // namespace espalier::algorithms
