// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"

namespace espalier::algorithms {

/// What the algorithms of a collective are tried as in such phases of an algorithm with this many
/// ranks, in the order in which they are tried: `binomial`, `k_nomial[k=4]`.
[[nodiscard]] std::vector<std::string>
tried_phases(Collective collective, Tried tried, int num_ranks);

}  // namespace espalier::algorithms
