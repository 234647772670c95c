// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/verify/cells.hpp"
#include "espalier/verify/matching.hpp"
#include "espalier/verify/verdict.hpp"

namespace espalier::verify {

/// Rule `facts` for round numbers: they are only labels for execution, so that counting them
/// means something only if both ends of a message have the same one and a message is in a later
/// round than every message its rank has to wait for.
[[nodiscard]] std::optional<Violation>
check_rounds(AllOperations const& all, Matching const& matching);

/// Rounds of the schedule, and the most messages and blocks that one rank sends.
[[nodiscard]] algorithms::Facts count(AllOperations const& all);

/// Rule `facts` for numbers: what the algorithm promises, where it promises anything, is what
/// was counted.
[[nodiscard]] std::optional<Violation>
check_facts(algorithms::Facts promised, algorithms::Facts const& counted);

}  // namespace espalier::verify
