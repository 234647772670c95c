// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/mapping/orders/distances.hpp"
#include "espalier/mapping/places.hpp"
#include "espalier/plan/orders/round_trips.hpp"

namespace espalier::plan {

/// Costs with what it took to find them.
struct MeasuredCosts {
  mapping::LevelCosts costs;
  int num_pairs = 0;
};

/// Measures pairs of all levels in turn, then how many messages pass at once between and inside the
/// groups of the outermost distinct level. On rank 0, while the others serve.
/// @param seconds when to stop; two pairs of each kind are measured in any case, with two round
///   trips each, and sets of up to 8 pairs once.
/// @throws Error mpi.
[[nodiscard]] MeasuredCosts
measure_costs(RoundTrips& trips, mapping::Places const& places, double seconds);

/// Whether a pair of the outermost level, and one inside the innermost, take about as long as the
/// costs say: within a factor of 2. On rank 0, while the others serve.
/// @throws Error mpi.
[[nodiscard]] bool
are_still_true(RoundTrips& trips, mapping::Places const& places, mapping::LevelCosts const& costs);

}  // namespace espalier::plan
