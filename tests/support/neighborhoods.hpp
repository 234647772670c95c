// SPDX-License-Identifier: Apache-2.0

/// @file
/// Neighborhoods on which algorithms are tried: grids with borders of all kinds, stencils of all
/// shapes, graphs without any order.

#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "espalier/neighborhood/catalog.hpp"

namespace espalier::test {

using Offsets = std::vector<std::vector<int>>;

struct NamedNeighborhood {
  std::string name;
  neighborhood::Neighborhood neighborhood;
};

/// All offsets with entries between -radius and radius, 0 too.
inline Offsets cube(int num_dimensions, int radius) {
  Offsets offsets{{}};
  for (int dimension = 0; dimension < num_dimensions; ++dimension) {
    Offsets longer;
    for (std::vector<int> const& offset : offsets) {
      for (int way = -radius; way <= radius; ++way) {
        longer.push_back(offset);
        longer.back().push_back(way);
      }
    }
    offsets = std::move(longer);
  }
  return offsets;
}

/// Offsets of a shape: `full`, `diagonals` (all corners, no edges: holes), `long` (distances 2 and
/// 3, one-sided), `repeated` (the same one twice, and 0).
inline Offsets offsets_of(std::string const& shape, int num_dimensions) {
  auto const d = static_cast<std::size_t>(num_dimensions);
  std::vector<int> const zero(d, 0);
  Offsets offsets;
  if (shape == "full" || shape == "diagonals") {
    for (std::vector<int> const& offset : cube(num_dimensions, 1)) {
      bool has_zero = false;
      for (int const way : offset) {
        has_zero = has_zero || way == 0;
      }
      if (offset != zero && (shape == "full" || !has_zero)) {
        offsets.push_back(offset);
      }
    }
    return offsets;
  }
  if (shape == "long") {
    for (std::size_t i = 0; i < d; ++i) {
      std::vector<int> offset(d, 1);
      offset[i] = -3;
      offsets.push_back(offset);
      offset.assign(d, 0);
      offset[i] = 2;
      offsets.push_back(offset);
    }
    return offsets;
  }
  std::vector<int> const one(d, 1);
  return {one, zero, one, std::vector<int>(d, -1), zero};
}

inline std::vector<std::string> const shapes{"full", "diagonals", "long", "repeated"};

inline std::string to_text(std::vector<int> const& extents, unsigned periods) {
  std::string text;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    text += (text.empty() ? "" : "x") + std::to_string(extents[i]);
    text += (periods >> i & 1U) != 0 ? "p" : "";
  }
  return text;
}

inline mapping::CartesianGrid grid_of(std::vector<int> const& extents, unsigned periods) {
  std::vector<bool> is_periodic;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    is_periodic.push_back((periods >> i & 1U) != 0);
  }
  return mapping::CartesianGrid(extents, is_periodic);
}

/// MPI's neighbours and all shapes on a grid.
inline std::vector<NamedNeighborhood> on_grid(std::vector<int> const& extents, unsigned periods) {
  using neighborhood::Neighborhood;
  std::string const name = to_text(extents, periods);
  mapping::CartesianGrid const grid = grid_of(extents, periods);
  std::vector<NamedNeighborhood> result;
  result.push_back({name + " cartesian", Neighborhood::of_cartesian(grid)});
  for (std::string const& shape : shapes) {
    result.push_back(
        {name + " " + shape,
         Neighborhood::of_stencil(grid, offsets_of(shape, static_cast<int>(extents.size())))}
    );
  }
  return result;
}

/// Fisher-Yates, the same with every standard library.
inline void shuffle(std::vector<int>& list, std::mt19937& random) {
  for (std::size_t i = list.size(); i > 1; --i) {
    std::swap(list[i - 1], list[random() % i]);
  }
}

/// The same edges as a graph, which each rank lists in an order of its own at both sides. Of
/// several edges between two ranks others may meet.
inline neighborhood::Neighborhood
shuffled(neighborhood::Neighborhood const& all, std::uint32_t seed) {
  std::mt19937 random(seed);
  auto const peers = [&](std::vector<neighborhood::End> const& ends) {
    std::vector<int> list;
    for (neighborhood::End const& end : ends) {
      if (!end.is_absent()) {
        list.push_back(end.peer);
      }
    }
    shuffle(list, random);
    return list;
  };
  std::vector<std::vector<int>> sources;
  std::vector<std::vector<int>> destinations;
  for (int rank = 0; rank < all.num_ranks(); ++rank) {
    sources.push_back(peers(all.in_edges(rank)));
    destinations.push_back(peers(all.out_edges(rank)));
  }
  return neighborhood::Neighborhood::of_lists(sources, destinations);
}

/// The stencils on a grid as graphs, in which they have been recognised; those that join all ranks.
inline std::vector<NamedNeighborhood>
recognised_on_grid(std::vector<int> const& extents, unsigned periods) {
  std::vector<NamedNeighborhood> result;
  for (NamedNeighborhood const& the : on_grid(extents, periods)) {
    auto graph = neighborhood::Neighborhood::recognised(shuffled(the.neighborhood, periods + 1));
    if (graph.isomorphic() != nullptr) {
      result.push_back({the.name + " as a graph", std::move(graph)});
    }
  }
  return result;
}

/// Any ends: several edges between the same ranks, loops, ranks without edges, absent ends.
inline neighborhood::Neighborhood random_graph(int num_ranks, int num_edges, std::uint32_t seed) {
  std::mt19937 random(seed);
  auto const below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<std::vector<int>> sources(static_cast<std::size_t>(num_ranks));
  std::vector<std::vector<int>> destinations(static_cast<std::size_t>(num_ranks));
  int const busy = num_ranks > 2 ? num_ranks - 1 : num_ranks;
  for (int i = 0; i < num_edges; ++i) {
    int const from = below(busy);
    int const to = below(4) == 0 ? from : below(busy);
    sources[static_cast<std::size_t>(to)].push_back(from);
    destinations[static_cast<std::size_t>(from)].push_back(to);
    if (below(5) == 0) {
      destinations[static_cast<std::size_t>(to)].push_back(-1);
    }
  }
  for (std::vector<int>& list : sources) {
    shuffle(list, random);
  }
  return neighborhood::Neighborhood::of_lists(sources, destinations);
}

/// Nodes of 1, 2, 3, 4 ranks or as uneven as can be, in blocks or dealt out.
inline std::vector<std::vector<int>> placements(int num_ranks) {
  std::vector<std::vector<int>> result;
  for (int const per_node : {1, 3, 4}) {
    result.emplace_back();
    for (int rank = 0; rank < num_ranks; ++rank) {
      result.back().push_back(rank / per_node);
    }
  }
  result.emplace_back();
  result.emplace_back();
  for (int rank = 0; rank < num_ranks; ++rank) {
    result[3].push_back(7 - rank % 3);
    result[4].push_back(rank * rank % 5 * 10);
  }
  return result;
}

}  // namespace espalier::test
