// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/graph.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::mapping {
namespace {

/// Rows of a graph, one after the other.
class Rows {
public:
  explicit Rows(int num_vertices) {
    graph_.first.reserve(static_cast<std::size_t>(num_vertices) + 1);
    graph_.first.push_back(0);
  }

  void add(int neighbor, double weight) { row_.emplace_back(neighbor, weight); }

  /// Ends the row of the next vertex.
  void end_row() {
    // By weight too: a sum must not depend on the order in which edges were given.
    std::ranges::sort(row_);
    int const vertex = graph_.num_vertices();
    int last = vertex;
    for (auto const& [neighbor, weight] : row_) {
      if (neighbor == vertex) {
        continue;
      }
      if (neighbor == last) {
        graph_.weight.back() += weight;
      } else {
        graph_.neighbor.push_back(neighbor);
        graph_.weight.push_back(weight);
      }
      last = neighbor;
    }
    graph_.first.push_back(static_cast<std::int64_t>(graph_.neighbor.size()));
    row_.clear();
  }

  Graph take() { return std::move(graph_); }

private:
  Graph graph_;
  std::vector<std::pair<int, double>> row_;
};

/// Goes through the positions of a grid in order, without divisions.
class Cursor {
public:
  explicit Cursor(CartesianGrid const& grid)
      : grid_(grid), coordinates_(static_cast<std::size_t>(grid.num_dimensions())) {}

  void advance() {
    for (std::size_t dimension = coordinates_.size(); dimension-- > 0;) {
      if (++coordinates_[dimension] < grid_.extents()[dimension]) {
        return;
      }
      coordinates_[dimension] = 0;
    }
  }

  /// As CartesianGrid::shifted().
  [[nodiscard]] int shifted(std::span<int const> offset) const {
    int result = 0;
    for (std::size_t dimension = 0; dimension < coordinates_.size(); ++dimension) {
      int const extent = grid_.extents()[dimension];
      std::int64_t there = std::int64_t{coordinates_[dimension]} + offset[dimension];
      if (there < 0 || there >= extent) {
        if (!grid_.is_periodic(static_cast<int>(dimension))) {
          return -1;
        }
        there = wrap(there, extent);
      }
      result += static_cast<int>(there) * grid_.stride(static_cast<int>(dimension));
    }
    return result;
  }

private:
  CartesianGrid const& grid_;
  std::vector<int> coordinates_;
};

void check(int num_vertices, std::span<Edge const> edges) {
  if (num_vertices < 1) {
    throw Error(
        ErrorCode::argument,
        "expected a graph of at least one vertex, got " + std::to_string(num_vertices)
    );
  }
  for (Edge const& edge : edges) {
    bool const is_inside =
        std::min(edge.from, edge.to) >= 0 && std::max(edge.from, edge.to) < num_vertices;
    if (!is_inside || !std::isfinite(edge.weight) || edge.weight < 0) {
      throw Error(
          ErrorCode::argument,
          "expected edges between vertices 0 .. " + std::to_string(num_vertices - 1) +
              " with weights of at least 0, got " + std::to_string(edge.from) + " to " +
              std::to_string(edge.to) + " with " + std::to_string(edge.weight)
      );
    }
  }
}

/// Indices of edges, by the vertex they leave.
std::vector<std::size_t> by_source(int num_vertices, std::span<Edge const> edges) {
  std::vector<std::size_t> next(static_cast<std::size_t>(num_vertices) + 1);
  for (Edge const& edge : edges) {
    ++next[static_cast<std::size_t>(edge.from) + 1];
  }
  for (std::size_t vertex = 1; vertex < next.size(); ++vertex) {
    next[vertex] += next[vertex - 1];
  }
  std::vector<std::size_t> order(edges.size());
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    order[next[static_cast<std::size_t>(edges[edge].from)]++] = edge;
  }
  return order;
}

}  // namespace

std::span<int const> Graph::neighbors(int vertex) const noexcept {
  auto const row = static_cast<std::size_t>(vertex);
  return std::span(neighbor).subspan(
      static_cast<std::size_t>(first[row]), static_cast<std::size_t>(first[row + 1] - first[row])
  );
}

std::span<double const> Graph::weights(int vertex) const noexcept {
  auto const row = static_cast<std::size_t>(vertex);
  return std::span(weight).subspan(
      static_cast<std::size_t>(first[row]), static_cast<std::size_t>(first[row + 1] - first[row])
  );
}

Graph make_graph(CartesianGrid const& grid, Stencil const& stencil) {
  if (grid.num_dimensions() != stencil.num_dimensions()) {
    throw Error(
        ErrorCode::argument,
        "expected a stencil of " + std::to_string(grid.num_dimensions()) +
            " dimensions, as the grid, got " + std::to_string(stencil.num_dimensions())
    );
  }
  Rows rows(grid.num_positions());
  Cursor cursor(grid);
  for (int position = 0; position < grid.num_positions(); ++position) {
    for (Stencil::Neighbor const& neighbor : stencil.neighbors()) {
      if (int const there = cursor.shifted(neighbor.offset); there >= 0) {
        rows.add(there, neighbor.weight);
      }
    }
    rows.end_row();
    cursor.advance();
  }
  return rows.take();
}

Graph make_graph(int num_vertices, std::span<Edge const> edges) {
  check(num_vertices, edges);
  std::vector<std::size_t> const order = by_source(num_vertices, edges);
  Rows rows(num_vertices);
  std::size_t next = 0;
  for (int vertex = 0; vertex < num_vertices; ++vertex) {
    for (; next < order.size() && edges[order[next]].from == vertex; ++next) {
      rows.add(edges[order[next]].to, edges[order[next]].weight);
    }
    rows.end_row();
  }
  return rows.take();
}

Graph symmetric(Graph const& graph) {
  std::vector<Edge> edges;
  edges.reserve(2 * graph.neighbor.size());
  for (int vertex = 0; vertex < graph.num_vertices(); ++vertex) {
    std::span<int const> const neighbors = graph.neighbors(vertex);
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      double const weight = graph.weights(vertex)[i];
      edges.push_back({.from = vertex, .to = neighbors[i], .weight = weight});
      edges.push_back({.from = neighbors[i], .to = vertex, .weight = weight});
    }
  }
  return make_graph(graph.num_vertices(), edges);
}

}  // namespace espalier::mapping
