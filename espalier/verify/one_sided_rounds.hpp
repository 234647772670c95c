// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/verify/cells.hpp"
#include "espalier/verify/counters.hpp"
#include "espalier/verify/verdict.hpp"

namespace espalier::verify {

/// Rule `facts` for the round numbers of one-sided programs: a put, get or signal is in a later
/// round than every message that its rank has to wait for, and an await is in the round of the last
/// raise of its counter.
[[nodiscard]] std::optional<Violation>
check_one_sided_rounds(AllOperations const& all, Counters const& counters);

/// As count(), with blocks that are put or got counted on both ranks.
[[nodiscard]] algorithms::Facts count_one_sided(AllOperations const& all);

}  // namespace espalier::verify
