// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/splitting/splitting.hpp"

#include <cstddef>
#include <numeric>
#include <utility>

#include "espalier/mapping/splitting/two_way_graph.hpp"

namespace espalier::mapping {
namespace {

class LevelSplitter {
public:
  LevelSplitter(Graph const& graph, Places const& places, Split const& split)
      : graph_(graph), places_(places), split_(split),
        number_of_vertex_(static_cast<std::size_t>(graph.num_vertices()), -1) {
    walk_.resize(number_of_vertex_.size());
    std::iota(walk_.begin(), walk_.end(), 0);
  }

  Walk run() {
    std::vector<int> outer{graph_.num_vertices()};
    for (int level = 0; level < places_.num_levels(); ++level) {
      split_level(outer, places_.sizes(level));
      outer = places_.sizes(level);
    }
    return std::move(walk_);
  }

private:
  /// Both levels count their groups in hardware order, as the walk does.
  void split_level(std::vector<int> const& outer, std::vector<int> const& inner) {
    std::size_t begin = 0;
    std::size_t first_group = 0;
    for (int const size : outer) {
      std::size_t last_group = first_group;
      for (int sum = 0; sum < size; ++last_group) {
        sum += inner[last_group];
      }
      std::span<int const> const sizes =
          std::span(inner).subspan(first_group, last_group - first_group);
      if (sizes.size() > 1) {
        split_part(std::span(walk_).subspan(begin, static_cast<std::size_t>(size)), sizes);
      }
      begin += static_cast<std::size_t>(size);
      first_group = last_group;
    }
  }

  void split_part(std::span<int> vertices, std::span<int const> sizes) {
    std::vector<int> const copy(vertices.begin(), vertices.end());
    std::vector<int> const groups = split_(induced(graph_, copy, number_of_vertex_), sizes);
    std::vector<std::size_t> next(sizes.size(), 0);
    std::exclusive_scan(sizes.begin(), sizes.end(), next.begin(), std::size_t{0});
    for (std::size_t i = 0; i < copy.size(); ++i) {
      vertices[next[static_cast<std::size_t>(groups[i])]++] = copy[i];
    }
  }

  Graph const& graph_;
  Places const& places_;
  Split const& split_;
  std::vector<int> number_of_vertex_;
  Walk walk_;
};

}  // namespace

Walk split_levels(Graph const& graph, Places const& places, Split const& split) {
  return LevelSplitter(graph, places, split).run();
}

}  // namespace espalier::mapping
