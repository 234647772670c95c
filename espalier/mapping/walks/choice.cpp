// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/walks/choice.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "espalier/mapping/graph.hpp"
#include "espalier/mapping/score.hpp"

namespace espalier::mapping {

Walk best_of(Problem const& problem, std::vector<Variant> variants, std::int64_t most_cells) {
  std::ranges::stable_sort(variants, {}, &Variant::estimate);
  std::int64_t const count = most_cells / problem.grid.num_positions();
  if (count < 2 || variants.size() == 1) {
    return variants.front().make();
  }
  variants.resize(std::min(variants.size(), static_cast<std::size_t>(count)));
  Graph const graph = make_graph(problem.grid, problem.stencil);
  Walk best;
  double least = 0;
  for (Variant const& variant : variants) {
    Walk walk = variant.make();
    double const cost = score(graph, problem.places, lay(walk, problem.places)).objective;
    if (best.empty() || cost < least) {
      best = std::move(walk);
      least = cost;
    }
  }
  return best;
}

}  // namespace espalier::mapping
