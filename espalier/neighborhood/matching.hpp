// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "espalier/neighborhood/neighborhood.hpp"

namespace espalier::neighborhood {

/// Edges of all ranks with both their ends.
struct MatchedEdges {
  std::vector<std::vector<End>> in;
  std::vector<std::vector<End>> out;
};

/// Of several edges from a to b the k-th that a lists is the k-th that b lists. Entries are ranks,
/// or -1 for absent ends.
/// @throws Error argument, naming the ranks, if an edge is listed at one end only.
[[nodiscard]] MatchedEdges match_edges(
    std::vector<std::vector<int>> const& sources, std::vector<std::vector<int>> const& destinations
);

}  // namespace espalier::neighborhood
