// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/schedule/one_sided.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::cost {

/// The programs of messages of all ranks in a call that is not in place, as teams make it: each
/// contribution stands in the input. Not in segments: a form cuts them later.
/// @throws Error as Choice::generate_whole.
[[nodiscard]] std::vector<schedule::RankProgram>
message_programs(algorithms::Choice const& choice, int num_ranks, int root);

/// The one-sided programs of all ranks, from their programs of messages.
/// @throws Error as schedule::one_sided().
[[nodiscard]] std::vector<schedule::RankProgram> one_sided_programs(
    std::vector<schedule::RankProgram> const& messages, schedule::OneSidedForm const& form
);

}  // namespace espalier::cost
