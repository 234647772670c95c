// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/orders/level_scan.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "tests/unit/mapping/support.hpp"

namespace espalier::mapping {
namespace {

Places places_with(std::vector<Places::LevelGroups> levels) {
  return Places(std::move(levels));
}

/// RA, whose chips are seen.
Places ra_places() {
  return places_with({{.name = "package", .group_of_rank = ra_groups()}});
}

Places nodes_of_packages() {
  return places_with(
      {{.name = "node", .group_of_rank = {0, 0, 0, 0, 1, 1, 1, 1}},
       {.name = "package", .group_of_rank = {0, 0, 1, 1, 2, 2, 3, 3}}}
  );
}

/// Times of the pairs in a matrix.
LevelTimes times_in(RttMatrix const& matrix, LevelPairs const& pairs) {
  LevelTimes times;
  for (std::size_t kind = 0; kind < times.size(); ++kind) {
    for (RankPair const& pair : pairs.pairs[kind]) {
      times[kind].push_back(matrix(pair.from, pair.to));
    }
  }
  return times;
}

LevelCosts costs_of(RttMatrix const& matrix, Places const& places, std::size_t most_pairs) {
  auto const pairs = level_pairs(places, most_pairs);
  std::vector<LevelTimes> times;
  for (LevelPairs const& level : pairs) {
    times.push_back(times_in(matrix, level));
  }
  return level_costs(places.num_levels(), pairs, times);
}

TEST(LevelScan, MeasuresTwoGroupsOfEachLevel) {
  auto const levels = level_pairs(nodes_of_packages(), 2);
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(levels[0].level, 0);
  EXPECT_EQ(levels[0].first, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(levels[0].second, (std::vector<int>{4, 5, 6, 7}));
  for (auto const& pairs : levels[0].pairs) {
    EXPECT_EQ(pairs.size(), 2U);
  }
  // Inside a node between its packages; what is inside a package is told by the next level.
  for (RankPair const& pair : levels[0].pairs[0]) {
    EXPECT_EQ(nodes_of_packages().crossing(pair.from, pair.to), 1);
  }
  EXPECT_EQ(levels[1].level, 1);
  EXPECT_EQ(levels[1].pairs[0], (std::vector<RankPair>{{0, 1}}));
}

TEST(LevelScan, CrossesFromEveryRankBeforeAnyTwice) {
  auto const levels = level_pairs(ra_places(), 4);
  std::vector<int> from;
  for (RankPair const& pair : levels[0].pairs[1]) {
    from.push_back(pair.from);
  }
  std::ranges::sort(from);
  EXPECT_EQ(from, (std::vector<int>{0, 2, 3, 5}));
}

TEST(LevelScan, HasOneKindWhereRanksDifferInNoLevel) {
  auto const levels = level_pairs(places_with({{.name = "node", .group_of_rank = {0, 0, 0}}}), 12);
  ASSERT_EQ(levels.size(), 1U);
  EXPECT_EQ(levels[0].level, 1);
  EXPECT_EQ(levels[0].pairs[0].size(), 3U);
  EXPECT_TRUE(levels[0].pairs[1].empty());
  EXPECT_TRUE(level_pairs(places_with({{.name = "node", .group_of_rank = {0}}}), 12).empty());
}

/// Both tests of [karlsson2012, section 3.4] reject on RA, whose chips differ by 7 %.
TEST(LevelScan, FindsTheChipsOfRa) {
  LevelCosts const costs = costs_of(ra_matrix(), ra_places(), 16);
  EXPECT_EQ(costs.group_level, 0);
  EXPECT_NEAR(costs.rtt_us[0], 32.8, 0.1);
  EXPECT_NEAR(costs.rtt_us[1], 30.6, 0.1);
  Distances const distances = measured_distances(ra_places(), costs);
  EXPECT_EQ(distances.num_groups(), 2);
  EXPECT_EQ(distances.rtt(0, 1), costs.rtt_us[0]);
  EXPECT_EQ(distances.rtt(0, 2), costs.rtt_us[1]);
}

TEST(LevelScan, TakesGroupsForOneIfTheirTimesAreAlike) {
  LevelCosts const costs = costs_of(two_level(ra_groups(), 30, 30), ra_places(), 16);
  EXPECT_EQ(costs.group_level, 1);
  EXPECT_EQ(costs.rtt_us, (std::vector<double>{30, 30}));
  EXPECT_EQ(measured_distances(ra_places(), costs).num_groups(), 1);
}

TEST(LevelScan, NeedsBothTests) {
  LevelTimes times{
      std::vector<double>{30, 31, 30},
      std::vector<double>{40, 41, 40},
      std::vector<double>{30, 30, 31},
      std::vector<double>{41, 40, 41},
  };
  EXPECT_TRUE(is_distinct(times));
  times[2] = {40, 41, 40};
  EXPECT_FALSE(is_distinct(times));
  times[2] = {};  // a group of one rank
  times[3] = {};
  EXPECT_TRUE(is_distinct(times));
  times[0] = {10, 90, 20};  // noise
  EXPECT_FALSE(is_distinct(times));
}

/// As on two emulated hosts, where a rank did not get its processor for 20 ms.
TEST(LevelScan, FindsAFarLevelInSpiteOfOneLateMessage) {
  LevelTimes const times{
      std::vector<double>{61, 65, 58, 20000, 66, 70},
      std::vector<double>{7800, 7700, 7900, 7800, 7600, 7900},
      std::vector<double>{60, 64, 62, 61, 66, 70},
      std::vector<double>{7800, 7700, 7900, 7800, 7600, 7900},
  };
  EXPECT_TRUE(is_distinct(times));
}

TEST(LevelScan, NestsLevels) {
  RttMatrix const matrix = [] {
    std::vector<double> times;
    for (int from = 0; from < 8; ++from) {
      for (int to = 0; to < 8; ++to) {
        times.push_back(from / 4 != to / 4 ? 100 : from / 2 != to / 2 ? 10 : 1);
      }
    }
    return RttMatrix(8, times);
  }();
  LevelCosts const costs = costs_of(matrix, nodes_of_packages(), 12);
  EXPECT_EQ(costs.rtt_us, (std::vector<double>{100, 10, 1}));
  EXPECT_EQ(costs.group_level, 0);
  Distances const distances = measured_distances(nodes_of_packages(), costs);
  for (int from = 0; from < 8; ++from) {
    for (int to = 0; to < 8; ++to) {
      if (from != to) {
        EXPECT_EQ(distances.rtt(from, to), matrix(from, to));
      }
    }
  }
}

TEST(LevelScan, IsOneGroupWhereEachRankIsAlone) {
  Places const places = places_with({{.name = "node", .group_of_rank = {0, 1, 2, 3}}});
  std::vector<int> const groups{0, 1, 2, 3};
  LevelCosts const costs = costs_of(two_level(groups, 5, 50), places, 12);
  EXPECT_EQ(costs.rtt_us, (std::vector<double>{50, 50}));
  EXPECT_EQ(measured_distances(places, costs).num_groups(), 1);
}

TEST(LevelScan, RefusesCostsOfOtherLevels) {
  EXPECT_THROW(static_cast<void>(measured_distances(ra_places(), {.rtt_us = {1, 2, 3}})), Error);
}

/// [karlsson2012, table 4.8], bandwidth of the slowest message.
TEST(Channels, AreThePublishedOnes) {
  auto const of_bandwidths = [](std::vector<double> const& bandwidths) {
    std::vector<double> times;
    for (double const bandwidth : bandwidths) {
      times.push_back(1 / bandwidth);
    }
    return channels_by_slowest(times);
  };
  EXPECT_EQ(of_bandwidths({1228, 716, 544, 382}), 1);
  EXPECT_EQ(of_bandwidths({2113, 1104, 987, 909, 878, 880}), 1);
  EXPECT_EQ(of_bandwidths({2220, 2153, 1212, 1187, 1123, 1098}), 2);
  EXPECT_TRUE(std::isinf(of_bandwidths({100, 99, 98})));
  EXPECT_TRUE(std::isinf(of_bandwidths({100})));
  EXPECT_TRUE(std::isinf(of_bandwidths({})));
}

}  // namespace
}  // namespace espalier::mapping
