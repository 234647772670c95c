// SPDX-License-Identifier: Apache-2.0

/// @file
/// Any grid, stencil and places: walks visit each position once, pieces of nodes are as large as
/// the nodes, and scores agree with counting edge by edge.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "espalier/mapping/score.hpp"
#include "espalier/mapping/walk.hpp"

namespace espalier::mapping {
namespace {

int any(int least, int most) {
  return *rc::gen::inRange(least, most + 1);
}

CartesianGrid any_grid() {
  std::vector<int> extents(static_cast<std::size_t>(any(1, 4)));
  std::vector<bool> is_periodic(extents.size());
  int left = 400;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    extents[i] = any(1, std::min(left, 20));
    left /= extents[i];
    is_periodic[i] = any(0, 1) == 1;
  }
  return CartesianGrid(std::move(extents), std::move(is_periodic));
}

/// Offsets of any length, one-sided, with holes; sometimes none.
Stencil any_stencil(int num_dimensions) {
  std::vector<Stencil::Neighbor> neighbors;
  for (int count = any(0, 6); count > 0; --count) {
    Stencil::Neighbor neighbor{.weight = any(1, 8) / 2.0};
    for (int i = 0; i < num_dimensions; ++i) {
      neighbor.offset.push_back(any(-3, 3));
    }
    bool const is_loop = std::ranges::all_of(neighbor.offset, [](int entry) { return entry == 0; });
    bool const is_known =
        std::ranges::find(neighbors, neighbor.offset, &Stencil::Neighbor::offset) !=
        neighbors.end();
    if (!is_loop && !is_known) {
      neighbors.push_back(std::move(neighbor));
    }
  }
  return Stencil(num_dimensions, std::move(neighbors));
}

/// Ranks of groups inside each of the groups of a level; equal sizes now and then.
std::vector<int> any_parts(std::vector<int> const& outer, int num_ranks) {
  int const most = any(1, num_ranks);
  bool const are_equal = any(0, 1) == 1;
  std::vector<int> groups;
  int group = 0;
  int left = 0;
  for (std::size_t rank = 0; rank < outer.size(); ++rank) {
    if (left == 0 || (rank > 0 && outer[rank] != outer[rank - 1])) {
      ++group;
      left = are_equal ? most : any(1, most);
    }
    --left;
    groups.push_back(group);
  }
  return groups;
}

/// Up to three levels; ranks of groups stand together, or anywhere.
Places any_places(int num_ranks) {
  std::vector<int> groups(static_cast<std::size_t>(num_ranks));
  std::vector<int> rank_of(groups.size());
  std::iota(rank_of.begin(), rank_of.end(), 0);
  if (any(0, 1) == 1) {
    rank_of = random_order(num_ranks, 0, static_cast<std::uint64_t>(any(0, 1000)));
  }
  std::vector<Places::LevelGroups> levels;
  for (int level = any(1, 3); level > 0; --level) {
    groups = any_parts(groups, num_ranks);
    Places::LevelGroups& here =
        levels.emplace_back(Places::LevelGroups{.name = "level", .cost = any(1, 16) / 8.0});
    here.group_of_rank.resize(groups.size());
    for (std::size_t i = 0; i < groups.size(); ++i) {
      here.group_of_rank[static_cast<std::size_t>(rank_of[i])] = groups[i];
    }
  }
  return Places(std::move(levels));
}

RC_GTEST_PROP(Walks, AreWalksOfAnyLayout, ()) {
  CartesianGrid const grid = any_grid();
  Stencil const stencil = any_stencil(grid.num_dimensions());
  Places const places = any_places(grid.num_positions());
  Problem const problem{.grid = grid, .stencil = stencil, .places = places};
  for (WalkAlgorithm const* algorithm : walk_algorithms()) {
    if (algorithm->refuses(problem).empty()) {
      Walk const walk = algorithm->walk(problem);
      RC_ASSERT(refuses(walk, grid.num_positions()) == "");
      RC_ASSERT(algorithm->walk(problem) == walk);
      RC_ASSERT(refuses(lay(walk, places), grid.num_positions()) == "");
    }
  }
}

/// What score() counts by rows of a graph, counted by offsets.
RC_GTEST_PROP(Score, CountsEveryMessage, ()) {
  CartesianGrid const grid = any_grid();
  Stencil const stencil = any_stencil(grid.num_dimensions());
  Places const places = any_places(grid.num_positions());
  RankVector const rank_at = random_order(grid.num_positions(), 0, 1);
  std::vector<double> totals(static_cast<std::size_t>(places.num_levels()));
  for (int position = 0; position < grid.num_positions(); ++position) {
    for (Stencil::Neighbor const& neighbor : stencil.neighbors()) {
      int const there = grid.shifted(position, neighbor.offset);
      if (there >= 0) {
        int level = 0;
        int const from = rank_at[static_cast<std::size_t>(position)];
        int const to = rank_at[static_cast<std::size_t>(there)];
        while (level < places.num_levels() &&
               places.group_of(level, from) == places.group_of(level, to)) {
          ++level;
        }
        if (level < places.num_levels()) {
          totals[static_cast<std::size_t>(level)] += neighbor.weight;
        }
      }
    }
  }
  Score const result = score(make_graph(grid, stencil), places, rank_at);
  for (std::size_t level = 0; level < totals.size(); ++level) {
    RC_ASSERT(result.cuts[level].total == totals[level]);
    RC_ASSERT(result.cuts[level].worst <= totals[level]);
  }
}

RC_GTEST_PROP(Stencil, IsReadBack, ()) {
  int const num_dimensions = any(1, 4);
  Stencil const stencil = any_stencil(num_dimensions);
  RC_PRE(!stencil.neighbors().empty());
  RC_ASSERT(Stencil::parse(stencil.to_text(), num_dimensions) == stencil);
}

}  // namespace
}  // namespace espalier::mapping
