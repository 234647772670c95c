// SPDX-License-Identifier: Apache-2.0

/// @file
/// How many ranks the groups of places hold.

#pragma once

#include <string>
#include <vector>

#include "espalier/mapping/walk.hpp"

namespace espalier::mapping {

/// Ranks of a group of each level, from outside, as long as all groups of a level have the same;
/// levels that split nothing are left out.
[[nodiscard]] std::vector<int> even_sizes(Places const& places);

/// Why groups of the outermost level that splits anything cannot all have one shape; empty if they
/// can, or if there is one group only.
[[nodiscard]] std::string refuses_uneven(Problem const& problem);

/// Mean number of ranks of a group of the outermost level that splits anything.
[[nodiscard]] double mean_size(Places const& places);

}  // namespace espalier::mapping
