// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/mapping/graph.hpp"

namespace espalier::mapping {

/// A graph with every edge seen from both ends: neighbors of a vertex are those it sends to and
/// those it receives from, ascending.
struct TwoWayGraph {
  std::vector<std::int64_t> first;  ///< as in Graph
  std::vector<int> neighbor;
  std::vector<double> out;   ///< weight sent to the neighbor, may be 0
  std::vector<double> back;  ///< weight received from it; empty if always the same as `out`

  [[nodiscard]] int num_vertices() const noexcept { return static_cast<int>(first.size()) - 1; }

  [[nodiscard]] std::size_t begin(int vertex) const noexcept {
    return static_cast<std::size_t>(first[static_cast<std::size_t>(vertex)]);
  }

  [[nodiscard]] std::size_t end(int vertex) const noexcept {
    return static_cast<std::size_t>(first[static_cast<std::size_t>(vertex) + 1]);
  }

  [[nodiscard]] double back_weight(std::size_t edge) const noexcept {
    return back.empty() ? out[edge] : back[edge];
  }

  [[nodiscard]] double both(std::size_t edge) const noexcept {
    return out[edge] + back_weight(edge);
  }
};

[[nodiscard]] TwoWayGraph two_way(Graph const& graph);

/// The edges between some vertices, which become 0, 1, .. in their order.
/// @param number_of_vertex scratch of num_vertices entries, all -1 before and after.
[[nodiscard]] Graph
induced(Graph const& graph, std::span<int const> vertices, std::vector<int>& number_of_vertex);

}  // namespace espalier::mapping
