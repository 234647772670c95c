// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/neighbors/neighbor_class.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace espalier::plan {
namespace {

using neighborhood::End;
using neighborhood::Neighborhood;
using profile::Topology;

/// Ranks that edges join, whatever their direction.
class Parts {
public:
  explicit Parts(int num_ranks) : parent_(static_cast<std::size_t>(num_ranks)), num_(num_ranks) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  void join(int one, int other) {
    int const root = root_of(one);
    int const other_root = root_of(other);
    num_ -= root == other_root ? 0 : 1;
    parent_[static_cast<std::size_t>(root)] = other_root;
  }

  [[nodiscard]] int num() const noexcept { return num_; }

private:
  int root_of(int rank) {
    while (true) {
      int& parent = parent_[static_cast<std::size_t>(rank)];
      if (parent == rank) {
        return rank;
      }
      parent = parent_[static_cast<std::size_t>(parent)];
      rank = parent;
    }
  }

  std::vector<int> parent_;
  int num_;
};

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
  Parts parts(graph.num_ranks());
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
  if (grid == nullptr) {
    return class_of_graph(neighborhood);
  }
  return {
      .topology = Topology::grid,
      .max_neighbors = profile::neighbor_class(grid->num_edges()),
      .has_repeated_edges = has_short_ring(grid->grid),
  };
}

}  // namespace espalier::plan
