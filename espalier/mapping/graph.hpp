// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/mapping/dims/cartesian_grid.hpp"
#include "espalier/mapping/dims/stencil.hpp"

namespace espalier::mapping {

/// Who sends how much to whom: a directed graph, by rows. Vertices are positions of a grid, or
/// ranks of a communicator. No vertex is its own neighbour, and none has the same neighbour twice:
/// what a periodic dimension of extent 2 sends to the same place in two messages has the weight of
/// both.
struct Graph {
  std::vector<std::int64_t>
      first;  ///< num_vertices + 1 entries; edges of v: first[v] .. first[v+1]
  std::vector<int> neighbor;
  std::vector<double> weight;

  [[nodiscard]] int num_vertices() const noexcept { return static_cast<int>(first.size()) - 1; }

  [[nodiscard]] std::span<int const> neighbors(int vertex) const noexcept;
  [[nodiscard]] std::span<double const> weights(int vertex) const noexcept;

  friend bool operator==(Graph const&, Graph const&) = default;
};

/// One directed edge.
struct Edge {
  int from = 0;
  int to = 0;
  double weight = 1;
};

/// @throws Error argument if dimensions differ.
[[nodiscard]] Graph make_graph(CartesianGrid const& grid, Stencil const& stencil);
/// Edges in any order; those between the same vertices are added up, loops are left out.
/// @throws Error argument for an end outside 0 .. num_vertices - 1, or a weight that is negative
///   or not finite.
[[nodiscard]] Graph make_graph(int num_vertices, std::span<Edge const> edges);
/// Each edge both ways, with the sum of both weights.
[[nodiscard]] Graph symmetric(Graph const& graph);

}  // namespace espalier::mapping
