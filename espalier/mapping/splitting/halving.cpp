// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/splitting/halving.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <span>
#include <utility>

#include "espalier/mapping/index.hpp"
#include "espalier/mapping/splitting/growing.hpp"

namespace espalier::mapping {
namespace {

/// Graphs of so few vertices are halved as they are.
constexpr int few_vertices = 120;
constexpr int most_refinements = 6;

/// A graph whose vertices stand for several ones.
struct Coarse {
  Graph graph;
  std::vector<int> size;       ///< of each vertex
  std::vector<int> vertex_of;  ///< here, of each vertex of the finer graph
};

/// Each vertex with its heaviest free neighbor, the lightest vertices first; others stay alone.
Coarse coarser(Graph const& graph, std::vector<int> const& size) {
  std::vector<int> order(size.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int vertex) { return graph.neighbors(vertex).size(); });
  Coarse result;
  result.vertex_of.assign(size.size(), -1);
  std::vector<std::pair<int, int>> parts;
  for (int const vertex : order) {
    if (result.vertex_of[at(vertex)] >= 0) {
      continue;
    }
    int partner = vertex;
    double heaviest = 0;
    std::span<int const> const neighbors = graph.neighbors(vertex);
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      // Heavy for their size, so that vertices do not grow apart.
      double const weight = graph.weights(vertex)[i] / size[at(neighbors[i])];
      if (result.vertex_of[at(neighbors[i])] < 0 && weight > heaviest) {
        heaviest = weight;
        partner = neighbors[i];
      }
    }
    result.vertex_of[at(vertex)] = result.vertex_of[at(partner)] = static_cast<int>(parts.size());
    parts.emplace_back(vertex, partner);
    result.size.push_back(size[at(vertex)] + (partner == vertex ? 0 : size[at(partner)]));
  }
  std::vector<Edge> edges;
  edges.reserve(graph.neighbor.size());
  for (int vertex = 0; vertex < graph.num_vertices(); ++vertex) {
    std::span<int const> const neighbors = graph.neighbors(vertex);
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      edges.push_back(
          {.from = result.vertex_of[at(vertex)],
           .to = result.vertex_of[at(neighbors[i])],
           .weight = graph.weights(vertex)[i]}
      );
    }
  }
  result.graph = make_graph(static_cast<int>(parts.size()), edges);
  return result;
}

/// Vertices of different sizes that move one by one between two halves.
class Halves {
public:
  /// Refers to the graph and the sizes.
  /// @param target size of half 0.
  Halves(Graph const& graph, std::vector<int> const& size, std::vector<int> half, int target)
      : graph_(graph), size_(size), half_(std::move(half)), target_(target),
        slack_(*std::ranges::max_element(size)), gain_(half_.size()), pass_of_(half_.size(), 0) {
    for (std::size_t vertex = 0; vertex < half_.size(); ++vertex) {
      excess_ += half_[vertex] == 0 ? size_[vertex] : 0;
    }
    excess_ -= target_;
  }

  std::vector<int> run() {
    for (int pass = 1; pass <= most_refinements && improve(pass); ++pass) {
    }
    return std::move(half_);
  }

private:
  using Heap = std::vector<std::pair<double, int>>;  // gain, minus vertex

  /// One pass in which every vertex moves at most once; keeps the best state on the way.
  bool improve(int pass) {
    prepare();
    double cut = 0;
    double best_cut = 0;
    int best_off = std::abs(excess_);
    std::size_t num_kept = 0;
    std::vector<int> moves;
    std::size_t const patience = 50 + half_.size() / 50;
    while (moves.size() < num_kept + patience) {
      int const vertex = next(pass);
      if (vertex < 0) {
        break;
      }
      cut -= gain_[at(vertex)];
      move(vertex);
      pass_of_[at(vertex)] = pass;
      moves.push_back(vertex);
      int const off = std::abs(excess_);
      bool const fits = off <= slack_ || off < best_off;
      if (fits && (cut < best_cut || (best_off > slack_ && off < best_off))) {
        best_cut = cut;
        best_off = off;
        num_kept = moves.size();
      }
    }
    for (; moves.size() > num_kept; moves.pop_back()) {
      move(moves.back());
    }
    return num_kept > 0;
  }

  void prepare() {
    heaps_[0].clear();
    heaps_[1].clear();
    for (int vertex = 0; vertex < graph_.num_vertices(); ++vertex) {
      double gain = 0;
      // A half that is too large may give any vertex: there may be no boundary.
      bool is_boundary = std::abs(excess_) > slack_ && half_[at(vertex)] == (excess_ > 0 ? 0 : 1);
      std::span<int const> const neighbors = graph_.neighbors(vertex);
      for (std::size_t i = 0; i < neighbors.size(); ++i) {
        bool const is_cut = half_[at(neighbors[i])] != half_[at(vertex)];
        is_boundary = is_boundary || is_cut;
        gain += is_cut ? graph_.weights(vertex)[i] : -graph_.weights(vertex)[i];
      }
      gain_[at(vertex)] = gain;
      if (is_boundary) {
        heaps_[at(half_[at(vertex)])].emplace_back(gain, -vertex);
      }
    }
    std::ranges::make_heap(heaps_[0]);
    std::ranges::make_heap(heaps_[1]);
  }

  /// The best vertex that may move: out of the half that is too large, else of either.
  int next(int pass) {
    int const zero = top(0, pass);
    int const one = top(1, pass);
    if (zero < 0 || one < 0 || std::abs(excess_) >= slack_) {
      bool const takes_zero = zero >= 0 && excess_ > -slack_ && (one < 0 || excess_ > 0);
      return takes_zero ? zero : (excess_ < slack_ ? one : -1);
    }
    if (gain_[at(zero)] != gain_[at(one)]) {
      return gain_[at(zero)] > gain_[at(one)] ? zero : one;
    }
    return excess_ > 0 ? zero : one;
  }

  int top(int half, int pass) {
    Heap& heap = heaps_[at(half)];
    while (!heap.empty()) {
      auto const [gain, minus] = heap.front();
      auto const vertex = at(-minus);
      if (pass_of_[vertex] != pass && half_[vertex] == half && gain_[vertex] == gain) {
        return -minus;
      }
      std::ranges::pop_heap(heap);
      heap.pop_back();
    }
    return -1;
  }

  void move(int vertex) {
    int const from = half_[at(vertex)];
    half_[at(vertex)] = 1 - from;
    excess_ += from == 0 ? -size_[at(vertex)] : size_[at(vertex)];
    gain_[at(vertex)] = -gain_[at(vertex)];
    std::span<int const> const neighbors = graph_.neighbors(vertex);
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      int const neighbor = neighbors[i];
      double const change = 2 * graph_.weights(vertex)[i];
      gain_[at(neighbor)] += half_[at(neighbor)] == from ? change : -change;
      Heap& heap = heaps_[at(half_[at(neighbor)])];
      heap.emplace_back(gain_[at(neighbor)], -neighbor);
      std::ranges::push_heap(heap);
    }
  }

  Graph const& graph_;
  std::vector<int> const& size_;
  std::vector<int> half_;
  int target_;
  int slack_;
  int excess_ = 0;  ///< of half 0
  std::vector<double> gain_;
  std::vector<int> pass_of_;  ///< in which a vertex moved last
  std::array<Heap, 2> heaps_;
};

double cut_of(Graph const& graph, std::vector<int> const& half) {
  double cut = 0;
  for (int vertex = 0; vertex < graph.num_vertices(); ++vertex) {
    std::span<int const> const neighbors = graph.neighbors(vertex);
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      cut += half[at(neighbors[i])] != half[at(vertex)] ? graph.weights(vertex)[i] : 0;
    }
  }
  return cut;
}

/// Half 0 grows from several vertices; the best after moves.
std::vector<int> halved_as_is(Graph const& graph, std::vector<int> const& size, int target) {
  int const all = std::accumulate(size.begin(), size.end(), 0);
  int const count =
      static_cast<int>(static_cast<std::int64_t>(graph.num_vertices()) * target / std::max(1, all));
  std::vector<int> best;
  double least = 0;
  for (int attempt = 0; attempt < 8; ++attempt) {
    Growing growing(graph);
    int const start = attempt * graph.num_vertices() / 8;
    int const seed = attempt % 2 == 0 ? peripheral_vertex(graph, start) : start;
    growing.grow_from(seed, std::clamp(count, 1, graph.num_vertices() - 1));
    std::vector<int> half = growing.group_of_vertex();
    std::ranges::replace(half, -1, 1);
    half = Halves(graph, size, std::move(half), target).run();
    if (double const cut = cut_of(graph, half); best.empty() || cut < least) {
      least = cut;
      best = std::move(half);
    }
  }
  return best;
}

std::vector<int> halved(Graph const& graph, std::vector<int> const& size, int target) {
  if (graph.num_vertices() <= few_vertices) {
    return halved_as_is(graph, size, target);
  }
  Coarse const coarse = coarser(graph, size);
  // Few pairs were found: no copy would be much smaller.
  if (coarse.graph.num_vertices() > graph.num_vertices() * 9 / 10) {
    return halved_as_is(graph, size, target);
  }
  std::vector<int> const inner = halved(coarse.graph, coarse.size, target);
  std::vector<int> half(size.size());
  std::ranges::transform(coarse.vertex_of, half.begin(), [&](int vertex) {
    return inner[at(vertex)];
  });
  return Halves(graph, size, std::move(half), target).run();
}

}  // namespace

std::vector<int> nearly_halved(Graph const& graph, int size) {
  return halved(graph, std::vector<int>(at(graph.num_vertices()), 1), size);
}

}  // namespace espalier::mapping
