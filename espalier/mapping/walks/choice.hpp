// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "espalier/mapping/walk.hpp"

namespace espalier::mapping {

/// One of several walks that an algorithm can make.
struct Variant {
  double estimate = 0;  ///< what it may cost; less is better
  std::function<Walk()> make;
};

/// The walk with the least objective, of equal ones the first. Those with the least estimates are
/// made and scored, as many as visit `most_cells` together; at least one.
[[nodiscard]] Walk
best_of(Problem const& problem, std::vector<Variant> variants, std::int64_t most_cells = 200'000);

}  // namespace espalier::mapping
