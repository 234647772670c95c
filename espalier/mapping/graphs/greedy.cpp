// SPDX-License-Identifier: Apache-2.0

/// @file
/// Greedy graph growing: one group after the other takes the vertex that is joined to it most
/// heavily and least to what is free, starting beside earlier groups where least is left.
///
///     0 0 . . .      0 0 1 1 .      0 0 1 1 2
///     0 0 . . .  ->  0 0 1 1 .  ->  0 0 1 1 2    groups of 4, 4 and 2 of a 5 x 2 grid
///
/// Inside groups the same for the next level. O(edges log edges) for each level.
/// Source [karypis1998], greedy graph growing partitioning, with a weight for what is left.

#include "espalier/mapping/graph_algorithm.hpp"
#include "espalier/mapping/splitting/growing.hpp"
#include "espalier/mapping/splitting/splitting.hpp"

namespace espalier::mapping {
namespace {

std::vector<int> split(Graph const& graph, std::span<int const> sizes) {
  Growing growing(graph);
  for (int const size : sizes) {
    growing.grow(size);
  }
  return growing.group_of_vertex();
}

Walk walk(Graph const& graph, Places const& places) {
  return split_levels(graph, places, split);
}

}  // namespace

extern GraphAlgorithm const greedy_graph{
    .name = "greedy",
    .summary = "grows one group after the other along the heaviest edges",
    .source = "karypis1998",
    .most_edges_of_grid = 1'000'000,
    .walk = walk,
};

}  // namespace espalier::mapping
