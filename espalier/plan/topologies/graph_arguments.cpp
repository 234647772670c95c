// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/topologies/graph_arguments.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>

namespace espalier::plan {
namespace {

constexpr std::int64_t any_int = std::int64_t{1} << 31;

std::span<int const> span_of(int const* values, std::int64_t number) {
  return {values, static_cast<std::size_t>(number)};
}

/// Whether these are so many numbers from 0 to below a limit.
bool are_numbers(int const* values, std::int64_t number, std::int64_t limit) {
  if (number < 0 || (number > 0 && values == nullptr)) {
    return false;
  }
  return std::ranges::all_of(span_of(values, number), [&](int value) {
    return value >= 0 && value < limit;
  });
}

/// Weights of MPI are any int that is not negative.
bool are_weights(int const* weights, std::int64_t number) {
  return number == 0 || (weights != MPI_WEIGHTS_EMPTY && are_numbers(weights, number, any_int));
}

/// Edges in all of sources with these degrees; none if a degree is wrong.
std::optional<std::int64_t> num_edges(EdgeGraph const& graph) {
  if (!are_numbers(graph.degrees, graph.num_sources, any_int)) {
    return std::nullopt;
  }
  auto const degrees = span_of(graph.degrees, graph.num_sources);
  return std::accumulate(degrees.begin(), degrees.end(), std::int64_t{0});
}

double weight_of(int const* weights, std::size_t edge) {
  return weights == MPI_UNWEIGHTED ? 1 : weights[edge];
}

}  // namespace

Weighting weighting(AdjacentGraph const& graph, int num_ranks) {
  bool const is_unweighted = graph.source_weights == MPI_UNWEIGHTED;
  bool const is_right = are_numbers(graph.sources, graph.indegree, num_ranks) &&
                        are_numbers(graph.destinations, graph.outdegree, num_ranks) &&
                        is_unweighted == (graph.destination_weights == MPI_UNWEIGHTED);
  if (!is_right || is_unweighted) {
    return is_right ? Weighting::none : Weighting::wrong;
  }
  bool const has_weights = are_weights(graph.source_weights, graph.indegree) &&
                           are_weights(graph.destination_weights, graph.outdegree);
  return has_weights ? Weighting::given : Weighting::wrong;
}

Weighting weighting(EdgeGraph const& graph, int num_ranks) {
  auto const number = num_edges(graph);
  if (!number || !are_numbers(graph.sources, graph.num_sources, num_ranks) ||
      !are_numbers(graph.destinations, *number, num_ranks)) {
    return Weighting::wrong;
  }
  if (graph.weights == MPI_UNWEIGHTED) {
    return Weighting::none;
  }
  return are_weights(graph.weights, *number) ? Weighting::given : Weighting::wrong;
}

std::vector<mapping::Edge> edges(AdjacentGraph const& graph, int rank) {
  std::vector<mapping::Edge> result;
  for (std::size_t i = 0; i < static_cast<std::size_t>(graph.outdegree); ++i) {
    result.push_back(
        {.from = rank,
         .to = graph.destinations[i],
         .weight = weight_of(graph.destination_weights, i)}
    );
  }
  return result;
}

std::vector<mapping::Edge> edges(EdgeGraph const& graph, int) {
  std::vector<mapping::Edge> result;
  for (std::size_t i = 0; i < static_cast<std::size_t>(graph.num_sources); ++i) {
    for (int j = 0; j < graph.degrees[i]; ++j) {
      std::size_t const edge = result.size();
      result.push_back(
          {.from = graph.sources[i],
           .to = graph.destinations[edge],
           .weight = weight_of(graph.weights, edge)}
      );
    }
  }
  return result;
}

}  // namespace espalier::plan
