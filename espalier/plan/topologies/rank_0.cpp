// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/topologies/rank_0.hpp"

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace espalier::plan {
namespace {

using mapping::Places;

/// Ranks of a group, in the order of the hardware.
std::vector<int> members(Places const& places, int level, int group) {
  std::vector<int> result;
  for (int const rank : places.hardware_order()) {
    if (places.group_of(level, rank) == group) {
      result.push_back(rank);
    }
  }
  return result;
}

/// Whether two groups are divided in the same way.
bool are_alike(Places const& places, std::vector<int> const& some, std::vector<int> const& others) {
  if (some.size() != others.size()) {
    return false;
  }
  for (std::size_t i = 1; i < some.size(); ++i) {
    if (places.crossing(some[i - 1], some[i]) != places.crossing(others[i - 1], others[i])) {
      return false;
    }
  }
  return true;
}

/// Each of some ranks takes the position of one of the others, and the reverse.
void exchange(
    std::vector<int> const& some, std::vector<int> const& others, mapping::RankVector& rank_at
) {
  std::vector<int> instead(rank_at.size());
  std::iota(instead.begin(), instead.end(), 0);
  for (std::size_t i = 0; i < some.size(); ++i) {
    std::swap(
        instead[static_cast<std::size_t>(some[i])], instead[static_cast<std::size_t>(others[i])]
    );
  }
  for (int& rank : rank_at) {
    rank = instead[static_cast<std::size_t>(rank)];
  }
}

}  // namespace

mapping::RankVector keep_rank_0(mapping::RankVector rank_at, Places const& places) {
  int first = rank_at.front();
  for (int level = places.crossing(0, first); level < places.num_levels();
       level = places.crossing(0, first)) {
    auto const own = members(places, level, places.group_of(level, 0));
    auto const others = members(places, level, places.group_of(level, first));
    if (!are_alike(places, own, others)) {
      return rank_at;
    }
    exchange(own, others, rank_at);
    first = rank_at.front();
  }
  exchange({0}, {first}, rank_at);
  return rank_at;
}

}  // namespace espalier::plan
