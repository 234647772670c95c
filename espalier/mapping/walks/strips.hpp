// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <vector>

#include "espalier/mapping/walk.hpp"

namespace espalier::mapping {

/// Strips, or rods in more than two dimensions, of nearly equal widths.
struct Strips {
  std::size_t along = 0;    ///< the dimension along which they run
  std::vector<int> counts;  ///< in each dimension; 1 along which they run
};

/// Slice by slice, up one strip and down the next; slices and strips in the order of an ox that
/// ploughs.
[[nodiscard]] Walk walk_strips(CartesianGrid const& grid, Strips const& strips);

}  // namespace espalier::mapping
