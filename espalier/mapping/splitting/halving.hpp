// SPDX-License-Identifier: Apache-2.0

/// @file
/// Halves a graph on coarser and coarser copies of itself [karypis1998]: pairs of vertices joined
/// by heavy edges become one, the smallest graph is halved, and on the way back vertices move one
/// by one across the cut [fiduccia1982].
///
///     o-o-o-o-o-o-o-o  ->  O---O---O---O  ->  O---O | O---O  ->  o-o-o-o | o-o-o-o

#pragma once

#include <vector>

#include "espalier/mapping/graph.hpp"

namespace espalier::mapping {

/// 0 or 1 for each vertex, nearly `size` zeros: as near as the weights of the coarse vertices
/// allow.
/// @param graph edges go both ways.
[[nodiscard]] std::vector<int> nearly_halved(Graph const& graph, int size);

}  // namespace espalier::mapping
