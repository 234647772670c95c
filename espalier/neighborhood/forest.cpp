// SPDX-License-Identifier: Apache-2.0

#include "espalier/neighborhood/forest.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>

namespace espalier::neighborhood {
Forest::Forest(Isomorphic const& all, bool is_shared) : all_(all), is_shared_(is_shared) {
  choose_dimensions();
  for (int block = 0; block < all.num_edges(); ++block) {
    if (all.is_possible(block)) {
      add_way(block);
    }
  }
}

Forest Forest::of_alltoall(Isomorphic const& all) {
  return {all, false};
}

Forest Forest::of_allgather(Isomorphic const& all) {
  return {all, true};
}

void Forest::choose_dimensions() {
  int const num_dimensions = all_.grid.num_dimensions();
  std::vector<std::set<int>> hops(static_cast<std::size_t>(num_dimensions));
  for (int block = 0; block < all_.num_edges(); ++block) {
    for (int dimension = 0; all_.is_possible(block) && dimension < num_dimensions; ++dimension) {
      hops[static_cast<std::size_t>(dimension)].insert(all_.hop(block, dimension));
    }
  }
  auto const num_hops = [&](int dimension) {
    return hops[static_cast<std::size_t>(dimension)].size();
  };
  for (int dimension = 0; dimension < num_dimensions; ++dimension) {
    if (hops[static_cast<std::size_t>(dimension)] != std::set{0} && num_hops(dimension) > 0) {
      dimensions_.push_back(dimension);
    }
  }
  if (is_shared_) {
    std::ranges::stable_sort(dimensions_, {}, num_hops);
  }
}

void Forest::add_way(int block) {
  int last = -1;
  for (int stage = 0; stage < num_stages(); ++stage) {
    int const distance = all_.hop(block, dimensions_[static_cast<std::size_t>(stage)]);
    if (distance != 0) {
      last = stop_after(last, stage, distance);
      stops_[static_cast<std::size_t>(last)].blocks.push_back(block);
    }
  }
  (last < 0 ? staying_ : stops_[static_cast<std::size_t>(last)].targets).push_back(block);
}

int Forest::stop_after(int parent, int stage, int hop) {
  for (std::size_t i = 0; is_shared_ && i < stops_.size(); ++i) {
    Stop const& stop = stops_[i];
    if (stop.parent == parent && stop.stage == stage && stop.hop == hop) {
      return static_cast<int>(i);
    }
  }
  stops_.push_back({.parent = parent, .stage = stage, .hop = hop, .blocks = {}, .targets = {}});
  return static_cast<int>(stops_.size()) - 1;
}

Passing::Passing(Isomorphic const& all, Forest const& forest, int rank)
    : all_(all), forest_(forest), rank_(rank) {}

/// Before the hop of `stage`, the hops of earlier stages lie behind a block, all others before it.
bool Passing::passes(int block, int stage) const {
  for (std::size_t i = 0; i < forest_.dimensions().size(); ++i) {
    int const dimension = forest_.dimensions()[i];
    if (all_.grid.is_periodic(dimension)) {
      continue;
    }
    std::int64_t const way = all_.hop(block, dimension);
    std::int64_t const here = all_.grid.coordinate(rank_, dimension);
    std::int64_t const end = static_cast<int>(i) < stage ? here - way : here + way;
    if (end < 0 || end >= all_.grid.extent(dimension)) {
      return false;
    }
  }
  return true;
}

bool Passing::departs(Stop const& stop) const {
  return std::ranges::any_of(stop.blocks, [&](int block) { return passes(block, stop.stage); });
}

bool Passing::arrives(Stop const& stop) const {
  return std::ranges::any_of(stop.blocks, [&](int block) { return passes(block, stop.stage + 1); });
}

int Passing::origin(Stop const& stop) const {
  std::vector<int> back(static_cast<std::size_t>(all_.grid.num_dimensions()), 0);
  for (Stop const* at = &stop;; at = &forest_.stops()[static_cast<std::size_t>(at->parent)]) {
    int const dimension = forest_.dimensions()[static_cast<std::size_t>(at->stage)];
    back[static_cast<std::size_t>(dimension)] = -at->hop;
    if (at->parent < 0) {
      return all_.grid.shifted(rank_, back);
    }
  }
}

}  // namespace espalier::neighborhood
