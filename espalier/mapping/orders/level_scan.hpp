// SPDX-License-Identifier: Apache-2.0

/// @file
/// Which pairs of ranks tell how far the groups of each level are apart, and what their round trips
/// say. Two groups stand for all of a level; their ranks are the same kind of place:
///
///     node     0 0 0 0 1 1 1 1 ..     node     {0, 1}: 0-4 1-6 .. across, 0-2 1-3 .. inside 0,
///     package  0 0 1 1 2 2 3 3 ..                        and the same from 1
///                                     package  {0, 1}: 0-2 1-3 .. across, 0-1 .. inside
///
/// As in [karlsson2012], two groups are distinct only if two tests reject that they are one: times
/// inside either of them differ from those that cross.

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "espalier/mapping/orders/distances.hpp"
#include "espalier/mapping/places.hpp"

namespace espalier::mapping {

struct RankPair {
  int from = 0;
  int to = 0;

  friend bool operator==(RankPair const&, RankPair const&) = default;
};

/// Pairs that are measured of one level.
struct LevelPairs {
  int level = 0;            ///< number of levels: inside the innermost groups
  std::vector<int> first;   ///< ranks of one group
  std::vector<int> second;  ///< and of the other one; none where `level` is the number of levels
  /// Inside the first, from the first to the second, inside the second, and back.
  std::array<std::vector<RankPair>, 4> pairs;
};

/// Of each level in which ranks differ, outermost first; of the ranks as a whole if they differ in
/// none. Nothing for a single rank.
/// @param most_pairs at least 2; of each of the four kinds
[[nodiscard]] std::vector<LevelPairs> level_pairs(Places const& places, std::size_t most_pairs);

/// Times in microseconds of the pairs of a level that were measured, by kind.
using LevelTimes = std::array<std::vector<double>, 4>;

/// Whether both groups are distinct: the double test of logarithms at 5 %, and means that differ by
/// 2 %. A group of which there are no two pairs is not tested; where none can be, nothing is
/// distinct unless there is nothing inside either of them.
[[nodiscard]] bool is_distinct(LevelTimes const& times);

/// Times of each level and inside, with the outermost distinct level; channels are not set.
/// @param times of `pairs`; at least one of each level that has any.
[[nodiscard]] LevelCosts
level_costs(int num_levels, std::span<LevelPairs const> pairs, std::span<LevelTimes const> times);

/// The largest number of messages at once of which the slowest keeps three quarters of the
/// bandwidth of one; unlimited if all that were tried do.
/// @param slowest_us time of the slowest message, of 1, 2, .. at the same time in one direction.
[[nodiscard]] double channels_by_slowest(std::span<double const> slowest_us);

}  // namespace espalier::mapping
