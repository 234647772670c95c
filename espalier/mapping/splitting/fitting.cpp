// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/splitting/fitting.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/mapping/index.hpp"

namespace espalier::mapping {
namespace {

class Fitting {
public:
  Fitting(Graph const& graph, std::vector<int> group_of_vertex, std::span<int const> sizes)
      : graph_(graph), group_(std::move(group_of_vertex)), sizes_(sizes), members_(sizes.size()) {
    for (int vertex = 0; vertex < graph.num_vertices(); ++vertex) {
      members_[at(group_[at(vertex)])].push_back(vertex);
    }
  }

  std::vector<int> run() {
    for (int group = 0; group < static_cast<int>(sizes_.size()); ++group) {
      while (excess(group) > 0) {
        std::vector<int> const path = path_from(group);
        for (std::size_t step = 0; step + 1 < path.size(); ++step) {
          move_best(path[step], path[step + 1]);
        }
      }
    }
    return std::move(group_);
  }

private:
  [[nodiscard]] int excess(int group) const {
    return static_cast<int>(members_[at(group)].size()) - sizes_[at(group)];
  }

  /// Groups from one to the nearest that lacks vertices; straight to the first of them if edges
  /// lead to none.
  [[nodiscard]] std::vector<int> path_from(int start) const {
    std::vector<int> from(sizes_.size(), -1);
    std::vector<int> queue{start};
    from[at(start)] = start;
    for (std::size_t next = 0; next < queue.size(); ++next) {
      if (excess(queue[next]) < 0) {
        return path_to(queue[next], from);
      }
      for (int const vertex : members_[at(queue[next])]) {
        for (int const neighbor : graph_.neighbors(vertex)) {
          int const group = group_[at(neighbor)];
          if (from[at(group)] < 0) {
            from[at(group)] = queue[next];
            queue.push_back(group);
          }
        }
      }
    }
    int target = 0;
    while (excess(target) >= 0) {
      ++target;
    }
    return {start, target};
  }

  [[nodiscard]] static std::vector<int> path_to(int end, std::vector<int> const& from) {
    std::vector<int> path{end};
    while (from[at(path.back())] != path.back()) {
      path.push_back(from[at(path.back())]);
    }
    std::ranges::reverse(path);
    return path;
  }

  [[nodiscard]] double gain(int vertex, int to) const {
    double sum = 0;
    std::span<int const> const neighbors = graph_.neighbors(vertex);
    for (std::size_t i = 0; i < neighbors.size(); ++i) {
      int const group = group_[at(neighbors[i])];
      if (group == to) {
        sum += graph_.weights(vertex)[i];
      } else if (group == group_[at(vertex)]) {
        sum -= graph_.weights(vertex)[i];
      }
    }
    return sum;
  }

  void move_best(int from, int to) {
    std::vector<int>& here = members_[at(from)];
    auto const best = std::ranges::max_element(here, {}, [&](int vertex) {
      return std::pair(gain(vertex, to), -vertex);
    });
    members_[at(to)].push_back(*best);
    group_[at(*best)] = to;
    here.erase(best);
  }

  Graph const& graph_;
  std::vector<int> group_;
  std::span<int const> sizes_;
  std::vector<std::vector<int>> members_;
};

}  // namespace

std::vector<int>
fitted(Graph const& graph, std::vector<int> group_of_vertex, std::span<int const> sizes) {
  int const sum = std::accumulate(sizes.begin(), sizes.end(), 0);
  if (sum != graph.num_vertices()) {
    throw Error(
        ErrorCode::argument,
        "expected sizes of groups that add up to " + std::to_string(graph.num_vertices()) +
            " vertices, got " + std::to_string(sum)
    );
  }
  return Fitting(graph, std::move(group_of_vertex), sizes).run();
}

}  // namespace espalier::mapping
