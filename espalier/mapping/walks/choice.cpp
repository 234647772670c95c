// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/walks/choice.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "espalier/mapping/graph.hpp"
#include "espalier/mapping/score.hpp"

namespace espalier::mapping {

Walk best_of(Layout const& layout, std::vector<Variant> variants, std::int64_t most_cells) {
  std::ranges::stable_sort(variants, {}, &Variant::estimate);
  std::int64_t const count = most_cells / layout.grid.num_positions();
  if (count < 2 || variants.size() == 1) {
    return variants.front().make();
  }
  variants.resize(std::min(variants.size(), static_cast<std::size_t>(count)));
  Graph const graph = make_graph(layout.grid, layout.stencil);
  Walk best;
  double least = 0;
  for (Variant const& variant : variants) {
    Walk walk = variant.make();
    double const cost = score(graph, layout.places, lay(walk, layout.places)).objective;
    if (best.empty() || cost < least) {
      best = std::move(walk);
      least = cost;
    }
  }
  return best;
}

}  // namespace espalier::mapping
