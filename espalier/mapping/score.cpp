// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/score.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/mapping/orders/rank_vector.hpp"

namespace espalier::mapping {
namespace {

void check(Graph const& graph, Places const& places, std::span<int const> rank_at) {
  if (graph.num_vertices() != places.num_ranks()) {
    throw Error(
        ErrorCode::argument,
        "expected places of " + std::to_string(graph.num_vertices()) +
            " ranks, as many as the graph has vertices, got " + std::to_string(places.num_ranks())
    );
  }
  if (std::string const complaint = refuses(rank_at, places.num_ranks()); !complaint.empty()) {
    throw Error(ErrorCode::argument, complaint);
  }
}

/// What leaves each group of each level.
std::vector<std::vector<double>>
leaving(Graph const& graph, Places const& places, std::span<int const> rank_at) {
  std::vector<std::vector<double>> result;
  for (int level = 0; level < places.num_levels(); ++level) {
    result.emplace_back(places.sizes(level).size());
  }
  for (int vertex = 0; vertex < graph.num_vertices(); ++vertex) {
    int const rank = rank_at[static_cast<std::size_t>(vertex)];
    std::span<int const> const neighbors = graph.neighbors(vertex);
    std::span<double const> const weights = graph.weights(vertex);
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      int const level = places.crossing(rank, rank_at[static_cast<std::size_t>(neighbors[i])]);
      if (level < places.num_levels()) {
        auto const group = static_cast<std::size_t>(places.group_of(level, rank));
        result[static_cast<std::size_t>(level)][group] += weights[i];
      }
    }
  }
  return result;
}

bool is_at_most(double value, double limit) noexcept {
  return value <= limit * (1 + rounding);
}

}  // namespace

Score score(Graph const& graph, Places const& places, std::span<int const> rank_at) {
  check(graph, places, rank_at);
  Score result;
  for (std::vector<double> const& of_group : leaving(graph, places, rank_at)) {
    Cut cut;
    for (double const weight : of_group) {
      cut.total += weight;
      cut.worst = std::max(cut.worst, weight);
    }
    double const cost = places.groups(static_cast<int>(result.cuts.size())).cost;
    result.total += cost * cut.total;
    result.worst += cost * cut.worst;
    result.objective += cost * (cut.total / static_cast<double>(of_group.size()) + cut.worst) / 2;
    result.cuts.push_back(cut);
  }
  return result;
}

bool is_better(Score const& score, Score const& than) {
  return score.objective < than.objective * (1 - rounding) && is_at_most(score.total, than.total) &&
         is_at_most(score.worst, than.worst);
}

}  // namespace espalier::mapping
