// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "espalier/mapping/dims/cartesian_grid.hpp"
#include "espalier/mapping/orders/rank_vector.hpp"
#include "espalier/mapping/places.hpp"

namespace espalier::plan {

/// A mapping that may turn out to be the fastest.
struct GridCandidate {
  std::string name;
  mapping::RankVector rank_at;
};

/// How long the steps took, in the unit of the clock.
struct CandidateTimes {
  double choose = 0;     ///< divisors, walks, scores
  double rearrange = 0;  ///< rank vectors
};

/// The order of the ranks as it is, called `identity`, then different walks with the best scores
/// for messages between nearest neighbours, the best first. Deterministic but for the times.
/// @param most of all candidates, at least 1.
/// @throws Error argument unless there are as many places as positions.
[[nodiscard]] std::vector<GridCandidate> grid_candidates(
    mapping::CartesianGrid const& grid,
    mapping::Places const& places,
    int most,
    std::function<double()> const& clock,
    CandidateTimes& times
);

/// The one with a name: `identity` or a walk.
/// @throws Error argument for a name that is not known, or a walk that refuses the grid.
[[nodiscard]] GridCandidate grid_candidate(
    std::string const& name, mapping::CartesianGrid const& grid, mapping::Places const& places
);

}  // namespace espalier::plan
