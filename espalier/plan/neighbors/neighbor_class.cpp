// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/neighbors/neighbor_class.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "espalier/neighborhood/parts.hpp"

namespace espalier::plan {
namespace {

using neighborhood::End;
using neighborhood::Neighborhood;
using profile::Topology;

std::vector<int> peers_of(std::span<End const> ends) {
  std::vector<int> peers;
  for (End const& end : ends) {
    if (!end.is_absent()) {
      peers.push_back(end.peer);
    }
  }
  std::ranges::sort(peers);
  return peers;
}

/// What is before and behind a rank is the same one, or the rank itself.
bool has_short_ring(mapping::CartesianGrid const& grid) {
  for (int dimension = 0; dimension < grid.num_dimensions(); ++dimension) {
    if (grid.is_periodic(dimension) && grid.extent(dimension) <= 2) {
      return true;
    }
  }
  return false;
}

NeighborClass class_of_graph(Neighborhood const& graph) {
  neighborhood::Parts parts(graph.num_ranks());
  NeighborClass found{.topology = Topology::graph};
  std::size_t most = 0;
  for (int rank = 0; rank < graph.num_ranks(); ++rank) {
    std::vector<End> const out = graph.out_edges(rank);
    std::vector<int> const peers = peers_of(out);
    most = std::max({most, out.size(), graph.in_edges(rank).size()});
    bool const is_repeated =
        std::ranges::adjacent_find(peers) != peers.end() || std::ranges::binary_search(peers, rank);
    found.has_repeated_edges = found.has_repeated_edges || is_repeated;
    for (int const peer : peers) {
      parts.join(rank, peer);
    }
  }
  found.max_neighbors = profile::neighbor_class(static_cast<int>(most));
  found.topology = parts.num() == 1 ? Topology::graph : Topology::disconnected;
  return found;
}

}  // namespace

NeighborClass class_of(Neighborhood const& neighborhood) {
  neighborhood::Isomorphic const* const grid = neighborhood.isomorphic();
  bool const is_declared = grid != nullptr && grid->has_common_order();
  if (!is_declared) {
    return class_of_graph(neighborhood);
  }
  return {
      .topology = Topology::grid,
      .max_neighbors = profile::neighbor_class(grid->num_edges()),
      .has_repeated_edges = has_short_ring(grid->grid),
  };
}

}  // namespace espalier::plan
