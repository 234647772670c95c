// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/neighborhood/algorithm.hpp"

namespace espalier::neighborhood {

/// A message for each edge, all at once, for both collectives.
[[nodiscard]] schedule::RankProgram exchange_directly(Request const& request, int rank);

[[nodiscard]] Facts direct_facts(Request const& request);

/// Of a rank whose neighbours all exist; request.neighborhood is isomorphic.
[[nodiscard]] Facts direct_facts_inside(Request const& request);

}  // namespace espalier::neighborhood
