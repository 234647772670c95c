// SPDX-License-Identifier: Apache-2.0

#include "espalier/neighborhood/share.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace espalier::neighborhood {

Share::Share(Isomorphic const& all, Forest const& forest, std::optional<int> rank)
    : forest_(forest), is_passed_on_(forest.stops().size(), false) {
  std::optional<Passing> const passing =
      rank ? std::optional<Passing>(std::in_place, all, forest, *rank) : std::nullopt;
  std::map<std::pair<int, int>, Hop> hops;
  for (std::size_t i = 0; i < forest.stops().size(); ++i) {
    Stop const& stop = forest.stops()[i];
    Hop& hop = hops[{stop.stage, stop.hop}];
    hop.stage = stop.stage;
    hop.distance = stop.hop;
    if (!passing || passing->arrives(stop)) {
      hop.arriving.push_back(static_cast<int>(i));
    }
    if (!passing || passing->departs(stop)) {
      hop.departing.push_back(static_cast<int>(i));
      if (stop.parent >= 0) {
        is_passed_on_[static_cast<std::size_t>(stop.parent)] = true;
      }
    }
  }
  for (auto& [key, hop] : hops) {
    if (!hop.departing.empty() || !hop.arriving.empty()) {
      hops_.push_back(std::move(hop));
    }
  }
}

bool Share::keeps(Hop const& hop) const {
  return std::ranges::any_of(hop.arriving, [&](int stop) {
    return is_passed_on_[static_cast<std::size_t>(stop)];
  });
}

bool Share::passes_on(Hop const& hop) const {
  return std::ranges::any_of(hop.departing, [&](int stop) {
    return forest_.stops()[static_cast<std::size_t>(stop)].parent >= 0;
  });
}

int Share::num_scratch_blocks() const {
  int num_blocks = 0;
  std::set<int> own;
  for (Hop const& hop : hops_) {
    num_blocks += keeps(hop) ? static_cast<int>(hop.arriving.size()) : 0;
    for (int const index : hop.departing) {
      Stop const& stop = forest_.stops()[static_cast<std::size_t>(index)];
      if (passes_on(hop) && stop.parent < 0) {
        own.insert(forest_.is_shared() ? 0 : stop.blocks.front());
      }
    }
  }
  return num_blocks + static_cast<int>(own.size());
}

}  // namespace espalier::neighborhood
