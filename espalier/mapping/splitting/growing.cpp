// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/splitting/growing.hpp"

#include <algorithm>
#include <numeric>

#include "espalier/mapping/index.hpp"

namespace espalier::mapping {
namespace {

/// The last vertex of a search in breadth, of those equally far the one with fewest neighbors.
int farthest(Graph const& graph, int start, std::vector<bool>& is_met) {
  std::vector<int> ring{start};
  std::vector<int> next;
  std::vector<int> all{start};
  is_met[at(start)] = true;
  while (true) {
    for (int const vertex : ring) {
      for (int const neighbor : graph.neighbors(vertex)) {
        if (!is_met[at(neighbor)]) {
          is_met[at(neighbor)] = true;
          next.push_back(neighbor);
        }
      }
    }
    if (next.empty()) {
      break;
    }
    all.insert(all.end(), next.begin(), next.end());
    ring.swap(next);
    next.clear();
  }
  for (int const vertex : all) {
    is_met[at(vertex)] = false;
  }
  return *std::min_element(ring.begin(), ring.end(), [&](int left, int right) {
    auto const left_size = graph.neighbors(left).size();
    auto const right_size = graph.neighbors(right).size();
    return left_size != right_size ? left_size < right_size : left < right;
  });
}

}  // namespace

int peripheral_vertex(Graph const& graph, int start) {
  std::vector<bool> is_met(at(graph.num_vertices()), false);
  return farthest(graph, farthest(graph, start, is_met), is_met);
}

Growing::Growing(Graph const& graph)
    : graph_(graph), group_(at(graph.num_vertices()), -1), inside_(group_.size(), 0),
      free_(group_.size(), 0), since_(group_.size(), 0), met_by_(group_.size(), -1) {
  for (int vertex = 0; vertex < graph.num_vertices(); ++vertex) {
    std::span<double const> const weights = graph.weights(vertex);
    free_[at(vertex)] = std::accumulate(weights.begin(), weights.end(), 0.0);
  }
}

void Growing::grow(int size) {
  grow_from(next_seed(), size);
}

void Growing::grow_from(int seed, int size) {
  members_.clear();
  for (int number = 0; number < size; ++number) {
    int vertex = number == 0 ? seed : next_member();
    take(vertex >= 0 ? vertex : next_seed());
  }
  ++num_groups_;
}

void Growing::push(std::vector<Candidate>& heap, Candidate candidate) {
  heap.push_back(candidate);
  std::push_heap(heap.begin(), heap.end(), [](Candidate const& left, Candidate const& right) {
    return left.key != right.key ? left.key < right.key : left.since > right.since;
  });
}

namespace {

/// Takes the top off a heap.
template <typename Heap> auto popped(Heap& heap) {
  std::pop_heap(heap.begin(), heap.end(), [](auto const& left, auto const& right) {
    return left.key != right.key ? left.key < right.key : left.since > right.since;
  });
  auto const top = heap.back();
  heap.pop_back();
  return top;
}

}  // namespace

/// The free vertex beside a group with least weight to free ones; one at an end of what is joined
/// to the lowest free vertex if there is none.
int Growing::next_seed() {
  while (!seeds_.empty()) {
    Candidate const top = popped(seeds_);
    if (group_[at(top.vertex)] < 0 && top.key == -free_[at(top.vertex)]) {
      return top.vertex;
    }
  }
  while (group_[at(first_free_)] >= 0) {
    ++first_free_;
  }
  return num_groups_ == 0 ? peripheral_vertex(graph_, first_free_) : first_free_;
}

/// -1 if nothing free is joined to the group.
int Growing::next_member() {
  while (!members_.empty()) {
    Candidate const top = popped(members_);
    if (group_[at(top.vertex)] < 0 && top.key == inside_[at(top.vertex)] - free_[at(top.vertex)]) {
      return top.vertex;
    }
  }
  return -1;
}

void Growing::take(int vertex) {
  group_[at(vertex)] = num_groups_;
  std::span<int const> const neighbors = graph_.neighbors(vertex);
  std::span<double const> const weights = graph_.weights(vertex);
  for (std::size_t i = 0; i < neighbors.size(); ++i) {
    auto const neighbor = at(neighbors[i]);
    if (group_[neighbor] >= 0) {
      continue;
    }
    if (met_by_[neighbor] != num_groups_) {
      met_by_[neighbor] = num_groups_;
      inside_[neighbor] = 0;
      since_[neighbor] = ++clock_;
    }
    inside_[neighbor] += weights[i];
    free_[neighbor] -= weights[i];
    push(members_, {inside_[neighbor] - free_[neighbor], since_[neighbor], neighbors[i]});
    push(seeds_, {-free_[neighbor], clock_, neighbors[i]});
  }
}

}  // namespace espalier::mapping
