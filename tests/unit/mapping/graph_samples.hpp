// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "espalier/mapping/graph.hpp"
#include "espalier/mapping/orders/rank_vector.hpp"
#include "espalier/mapping/places.hpp"

namespace espalier::mapping {

/// Ranks in order on nodes of these sizes; with `per_package` ranks of each package, if given.
inline Places places_of_sizes(std::vector<int> const& sizes, int per_package = 0) {
  Places::LevelGroups nodes{.name = "node"};
  Places::LevelGroups packages{.name = "package", .cost = Places::inner_cost};
  int num_packages = 0;
  for (std::size_t node = 0; node < sizes.size(); ++node) {
    for (int core = 0; core < sizes[node]; ++core) {
      nodes.group_of_rank.push_back(static_cast<int>(node));
      num_packages += per_package > 0 && core % per_package == 0 ? 1 : 0;
      packages.group_of_rank.push_back(num_packages);
    }
  }
  return per_package > 0 ? Places({nodes, packages}) : Places({nodes});
}

inline Graph nearest_graph(std::vector<int> extents) {
  int const num_dimensions = static_cast<int>(extents.size());
  return make_graph(CartesianGrid(std::move(extents)), Stencil::nearest(num_dimensions));
}

inline RankVector identity_of(int num_ranks) {
  RankVector ranks(static_cast<std::size_t>(num_ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

/// Two cliques of four vertices each, even and odd ones, and one edge between them.
inline Graph two_cliques() {
  std::vector<Edge> edges{{.from = 0, .to = 1}, {.from = 1, .to = 0}};
  for (int from = 0; from < 8; ++from) {
    for (int to = 0; to < 8; ++to) {
      if (from % 2 == to % 2) {
        edges.push_back({.from = from, .to = to});
      }
    }
  }
  return make_graph(8, edges);
}

}  // namespace espalier::mapping
