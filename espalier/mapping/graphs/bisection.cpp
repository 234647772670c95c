// SPDX-License-Identifier: Apache-2.0

/// @file
/// Recursive bisection: the groups are halved, and the graph with them. A half grows from a vertex
/// at an end of the graph, and then both swap vertices along their boundary.
///
///     a a a a | b b b b        0 0 1 1 | 2 2 3 3
///     a a a a | b b b b   ->   0 0 1 1 | 2 2 3 3     four groups of four
///
/// Inside groups the same for the next level. O(edges log edges log groups).
/// Source [karypis1998], recursive bisection; [kernighan1970], [fiduccia1982], the swaps.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <vector>

#include "espalier/mapping/graph_algorithm.hpp"
#include "espalier/mapping/search/group_swaps.hpp"
#include "espalier/mapping/splitting/fitting.hpp"
#include "espalier/mapping/splitting/halving.hpp"
#include "espalier/mapping/splitting/splitting.hpp"
#include "espalier/mapping/splitting/two_way_graph.hpp"

namespace espalier::mapping {
namespace {

constexpr int most_rounds = 8;
constexpr double unlimited = std::numeric_limits<double>::infinity();

/// How many of the groups belong to the first half: as near to half of the vertices as possible.
std::size_t half_of(std::span<int const> sizes) {
  std::int64_t const all = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  std::size_t best = 1;
  std::int64_t least = all;
  std::int64_t sum = 0;
  for (std::size_t count = 1; count < sizes.size(); ++count) {
    sum += sizes[count - 1];
    if (std::int64_t const distance = std::abs(2 * sum - all); distance < least) {
      least = distance;
      best = count;
    }
  }
  return best;
}

/// 0 or 1 for each vertex, `size` zeros.
std::vector<int> halved(Graph const& graph, int size) {
  std::vector<int> const sizes{size, graph.num_vertices() - size};
  TwoWayGraph const both = two_way(graph);
  GroupSwaps swaps(both, fitted(graph, nearly_halved(graph, size), sizes), {0, 0});
  int rounds = 0;
  while (rounds < most_rounds && swaps.improve(0, 1, GroupSwaps::Goal::total, unlimited)) {
    ++rounds;
  }
  return swaps.group_of_vertex();
}

void split_part(
    Graph const& graph,
    std::span<int const> sizes,
    std::span<int const> vertices,
    int first_group,
    std::vector<int>& group_of_vertex
) {
  if (sizes.size() == 1) {
    for (int const vertex : vertices) {
      group_of_vertex[static_cast<std::size_t>(vertex)] = first_group;
    }
    return;
  }
  std::size_t const count = half_of(sizes);
  std::vector<int> const half =
      halved(graph, std::accumulate(sizes.begin(), sizes.begin() + static_cast<int>(count), 0));
  std::vector<int> scratch(vertices.size(), -1);
  for (int const side : {0, 1}) {
    std::vector<int> inside;
    std::vector<int> names;
    for (std::size_t i = 0; i < half.size(); ++i) {
      if (half[i] == side) {
        inside.push_back(static_cast<int>(i));
        names.push_back(vertices[i]);
      }
    }
    split_part(
        induced(graph, inside, scratch),
        side == 0 ? sizes.first(count) : sizes.subspan(count),
        names,
        first_group + (side == 0 ? 0 : static_cast<int>(count)),
        group_of_vertex
    );
  }
}

std::vector<int> split(Graph const& graph, std::span<int const> sizes) {
  std::vector<int> group_of_vertex(static_cast<std::size_t>(graph.num_vertices()));
  std::vector<int> vertices(group_of_vertex.size());
  std::iota(vertices.begin(), vertices.end(), 0);
  split_part(graph, sizes, vertices, 0, group_of_vertex);
  return group_of_vertex;
}

Walk walk(Graph const& graph, Places const& places) {
  return split_levels(graph, places, split);
}

}  // namespace

extern GraphAlgorithm const bisection_graph{
    .name = "bisection",
    .summary = "halves the graph again and again and improves each cut",
    .source = "karypis1998, kernighan1970, fiduccia1982",
    .most_edges_of_grid = 200'000,
    .walk = walk,
};

}  // namespace espalier::mapping
