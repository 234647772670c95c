// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/orders/measured_costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "espalier/mapping/orders/level_scan.hpp"

namespace espalier::plan {
namespace {

using mapping::LevelCosts;
using mapping::LevelPairs;
using mapping::LevelTimes;
using mapping::Places;
using mapping::RankPair;

constexpr std::size_t most_pairs = 12;
constexpr std::size_t least_pairs = 2;
constexpr int most_at_once = 8;
constexpr int least_repetitions = 2;

/// Time that is left for measuring, shared among what is still to be done.
class Budget {
public:
  Budget(double seconds, std::size_t num_parts)
      : end_us_(PMPI_Wtime() * 1e6 + seconds * 1e6), parts_left_(num_parts) {}

  [[nodiscard]] bool is_over() const { return PMPI_Wtime() * 1e6 >= end_us_; }

  /// Of the next part.
  [[nodiscard]] double share_us() {
    double const left_us = end_us_ - PMPI_Wtime() * 1e6;
    double const parts = static_cast<double>(std::max<std::size_t>(parts_left_, 1));
    parts_left_ -= parts_left_ > 0 ? 1 : 0;
    return std::max(0.0, left_us / parts);
  }

private:
  double end_us_;
  std::size_t parts_left_;
};

/// The i-th pair of each kind of each level, then the next: time may end after any of them.
std::vector<LevelTimes>
measure_levels(RoundTrips& trips, std::span<LevelPairs const> levels, Budget& budget) {
  std::vector<LevelTimes> times(levels.size());
  for (std::size_t i = 0; i < most_pairs; ++i) {
    for (std::size_t level = 0; level < levels.size(); ++level) {
      for (std::size_t kind = 0; kind < times[level].size(); ++kind) {
        auto const& pairs = levels[level].pairs[kind];
        bool const is_wanted = i < pairs.size() && (i < least_pairs || !budget.is_over());
        if (is_wanted) {
          auto const found =
              trips.measure(std::span(&pairs[i], 1), {.share_us = budget.share_us()});
          times[level][kind].push_back(found.front());
        }
      }
    }
  }
  return times;
}

/// Messages one way, with empty answers, of the slowest of 1, 2, .. pairs at once, until they have
/// lost more than a quarter.
std::vector<double>
slowest_at_once(RoundTrips& trips, std::vector<RankPair> const& pairs, int repetitions) {
  std::vector<double> slowest;
  std::size_t const most = std::min<std::size_t>(pairs.size(), most_at_once);
  for (std::size_t count = 1; count <= most; ++count) {
    auto const times =
        trips.measure(std::span(pairs.data(), count), {.count = repetitions, .is_one_way = true});
    slowest.push_back(std::ranges::max(times));
    if (!std::isinf(mapping::channels_by_slowest(slowest))) {
      break;
    }
  }
  return slowest;
}

/// Ranks beside each other, none twice.
std::vector<RankPair>
disjoint_pairs(std::vector<int> const& first, std::vector<int> const& second) {
  std::vector<RankPair> pairs;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
    pairs.push_back({.from = first[i], .to = second[i]});
  }
  return pairs;
}

std::vector<RankPair> disjoint_pairs_inside(std::vector<int> const& ranks) {
  std::vector<RankPair> pairs;
  for (std::size_t i = 0; i + 1 < ranks.size(); i += 2) {
    pairs.push_back({.from = ranks[i], .to = ranks[i + 1]});
  }
  return pairs;
}

/// As many round trips as fit.
int repetitions_of(double rtt_us, double share_us) {
  return static_cast<int>(std::clamp(share_us / rtt_us, double{least_repetitions}, 9.0));
}

mapping::Channels measure_channels(
    RoundTrips& trips, LevelPairs const& groups, LevelCosts const& costs, Budget& budget
) {
  auto const level = static_cast<std::size_t>(costs.group_level);
  double const share_us = budget.share_us() / most_at_once;
  auto const across = slowest_at_once(
      trips,
      disjoint_pairs(groups.first, groups.second),
      repetitions_of(costs.rtt_us[level], share_us)
  );
  auto const inside = slowest_at_once(
      trips, disjoint_pairs_inside(groups.first), repetitions_of(costs.rtt_us[level + 1], share_us)
  );
  return {
      .across = mapping::channels_by_slowest(across),
      .inside = mapping::channels_by_slowest(inside),
  };
}

std::size_t num_pairs_of(std::vector<LevelTimes> const& times) {
  std::size_t count = 0;
  for (LevelTimes const& level : times) {
    for (std::vector<double> const& kind : level) {
      count += kind.size();
    }
  }
  return count;
}

}  // namespace

MeasuredCosts measure_costs(RoundTrips& trips, Places const& places, double seconds) {
  std::vector<LevelPairs> const levels = mapping::level_pairs(places, most_pairs);
  std::size_t num_parts = 2;  // for channels
  for (LevelPairs const& level : levels) {
    for (std::vector<RankPair> const& pairs : level.pairs) {
      num_parts += pairs.size();
    }
  }
  Budget budget(seconds, num_parts);
  std::vector<LevelTimes> const times = measure_levels(trips, levels, budget);
  MeasuredCosts found{.costs = mapping::level_costs(places.num_levels(), levels, times)};
  found.num_pairs = static_cast<int>(num_pairs_of(times));
  auto const groups = std::ranges::find(levels, found.costs.group_level, &LevelPairs::level);
  if (found.costs.group_level < places.num_levels() && groups != levels.end()) {
    found.costs.channels = measure_channels(trips, *groups, found.costs, budget);
  }
  return found;
}

bool are_still_true(RoundTrips& trips, Places const& places, LevelCosts const& costs) {
  constexpr double most_change = 2;
  for (LevelPairs const& level : mapping::level_pairs(places, 1)) {
    for (std::vector<RankPair> const& pairs : level.pairs) {
      if (!pairs.empty()) {
        double const us = trips.measure(std::span(pairs.data(), 1), {.count = 3}).front();
        double const expected =
            costs.rtt_us[static_cast<std::size_t>(places.crossing(pairs[0].from, pairs[0].to))];
        if (us > most_change * expected || us * most_change < expected) {
          return false;
        }
      }
    }
  }
  return true;
}

}  // namespace espalier::plan
