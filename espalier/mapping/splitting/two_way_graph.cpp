// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/splitting/two_way_graph.hpp"

#include <numeric>

#include "espalier/mapping/index.hpp"

namespace espalier::mapping {
namespace {

/// All edges turned round; rows come out ascending.
Graph transposed(Graph const& graph) {
  int const num_vertices = graph.num_vertices();
  Graph result;
  result.first.assign(at(num_vertices) + 1, 0);
  for (int const to : graph.neighbor) {
    ++result.first[at(to) + 1];
  }
  std::partial_sum(result.first.begin(), result.first.end(), result.first.begin());
  result.neighbor.resize(graph.neighbor.size());
  result.weight.resize(graph.weight.size());
  std::vector<std::int64_t> next(result.first.begin(), result.first.end() - 1);
  for (int from = 0; from < num_vertices; ++from) {
    for (auto edge = graph.first[at(from)]; edge < graph.first[at(from) + 1]; ++edge) {
      auto const source = static_cast<std::size_t>(edge);
      auto const target = static_cast<std::size_t>(next[at(graph.neighbor[source])]++);
      result.neighbor[target] = from;
      result.weight[target] = graph.weight[source];
    }
  }
  return result;
}

/// Adds the row of a vertex: those it sends to and those it receives from, both ascending.
void merge_row(TwoWayGraph& result, Graph const& sent, Graph const& received, int vertex) {
  auto to = static_cast<std::size_t>(sent.first[at(vertex)]);
  auto from = static_cast<std::size_t>(received.first[at(vertex)]);
  auto const last_to = static_cast<std::size_t>(sent.first[at(vertex) + 1]);
  auto const last_from = static_cast<std::size_t>(received.first[at(vertex) + 1]);
  while (to < last_to || from < last_from) {
    bool const sends =
        from == last_from || (to < last_to && sent.neighbor[to] <= received.neighbor[from]);
    bool const receives =
        to == last_to || (from < last_from && received.neighbor[from] <= sent.neighbor[to]);
    result.neighbor.push_back(sends ? sent.neighbor[to] : received.neighbor[from]);
    result.out.push_back(sends ? sent.weight[to++] : 0);
    result.back.push_back(receives ? received.weight[from++] : 0);
  }
}

}  // namespace

TwoWayGraph two_way(Graph const& graph) {
  Graph received = transposed(graph);
  Graph sent = transposed(received);
  if (sent == received) {
    return {std::move(sent.first), std::move(sent.neighbor), std::move(sent.weight), {}};
  }
  TwoWayGraph result;
  result.first.push_back(0);
  for (int vertex = 0; vertex < graph.num_vertices(); ++vertex) {
    merge_row(result, sent, received, vertex);
    result.first.push_back(static_cast<std::int64_t>(result.neighbor.size()));
  }
  return result;
}

Graph induced(
    Graph const& graph, std::span<int const> vertices, std::vector<int>& number_of_vertex
) {
  for (std::size_t number = 0; number < vertices.size(); ++number) {
    number_of_vertex[at(vertices[number])] = static_cast<int>(number);
  }
  Graph result;
  result.first.push_back(0);
  for (int const vertex : vertices) {
    for (auto edge = graph.first[at(vertex)]; edge < graph.first[at(vertex) + 1]; ++edge) {
      auto const source = static_cast<std::size_t>(edge);
      if (int const number = number_of_vertex[at(graph.neighbor[source])]; number >= 0) {
        result.neighbor.push_back(number);
        result.weight.push_back(graph.weight[source]);
      }
    }
    result.first.push_back(static_cast<std::int64_t>(result.neighbor.size()));
  }
  for (int const vertex : vertices) {
    number_of_vertex[at(vertex)] = -1;
  }
  return result;
}

}  // namespace espalier::mapping
