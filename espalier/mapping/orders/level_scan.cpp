// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/orders/level_scan.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

#include "espalier/base/median.hpp"
#include "espalier/base/student.hpp"

namespace espalier::mapping {
namespace {

enum Kind : std::size_t { inside_first, across, inside_second, back };

/// The ranks of each group of a level that lie in one group of the level above.
using Siblings = std::map<int, std::vector<int>>;

/// Ranks of the groups of a level, by the group of the level above.
std::map<int, Siblings> siblings_of(Places const& places, int level) {
  std::map<int, Siblings> result;
  for (int rank = 0; rank < places.num_ranks(); ++rank) {
    int const above = level == 0 ? 0 : places.group_of(level - 1, rank);
    result[above][places.group_of(level, rank)].push_back(rank);
  }
  return result;
}

/// Two groups beside each other, the smaller of which is as large as any two have it.
std::optional<LevelPairs> largest_two(Places const& places, int level) {
  std::optional<LevelPairs> best;
  for (auto const& [above, groups] : siblings_of(places, level)) {
    std::vector<std::vector<int> const*> by_size;
    for (auto const& [group, ranks] : groups) {
      by_size.push_back(&ranks);
    }
    std::ranges::stable_sort(by_size, std::ranges::greater(), [](auto const* ranks) {
      return ranks->size();
    });
    if (by_size.size() > 1 && (!best || by_size[1]->size() > best->second.size())) {
      best = LevelPairs{.level = level, .first = *by_size[0], .second = *by_size[1], .pairs = {}};
    }
  }
  return best;
}

/// Some of all pairs, evenly spread.
std::vector<RankPair> some_of(std::vector<RankPair> const& all, std::size_t most) {
  std::size_t const count = std::min(all.size(), most);
  std::vector<RankPair> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(all[i * all.size() / count]);
  }
  return result;
}

/// Each rank of the first group with one of the second, before any has two.
std::vector<RankPair>
pairs_between(std::vector<int> const& from, std::vector<int> const& to, std::size_t most) {
  std::vector<RankPair> all;
  for (std::size_t shift = 0; shift < to.size() && all.size() < most; ++shift) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      all.push_back({.from = from[i], .to = to[(i + shift) % to.size()]});
    }
  }
  if (from.size() >= most) {
    return some_of(all, most);
  }
  all.resize(std::min(all.size(), most));
  return all;
}

/// Pairs of one group that differ in the next level in which any do.
std::vector<RankPair>
pairs_inside(Places const& places, std::vector<int> const& ranks, std::size_t most) {
  int nearest_level = places.num_levels();
  for (int const rank : ranks) {
    if (rank != ranks.front()) {
      nearest_level = std::min(nearest_level, places.crossing(ranks.front(), rank));
    }
  }
  std::vector<RankPair> all;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (std::size_t j = i + 1; j < ranks.size(); ++j) {
      if (places.crossing(ranks[i], ranks[j]) == nearest_level) {
        all.push_back({.from = ranks[i], .to = ranks[j]});
      }
    }
  }
  return some_of(all, most);
}

/// Of logarithms.
struct Moments {
  double mean = 0;
  double squares = 0;  ///< sum of squared differences from the mean
  std::size_t n = 0;
};

Moments log_moments_of(std::vector<double> const& values) {
  Moments moments{.n = values.size()};
  for (double const value : values) {
    moments.mean += std::log(value) / static_cast<double>(values.size());
  }
  for (double const value : values) {
    double const difference = std::log(value) - moments.mean;
    moments.squares += difference * difference;
  }
  return moments;
}

/// Student's test with one variance for both, as [karlsson2012] used, and a ratio that is worth the
/// name. It takes logarithms: where ranks share processors, a few round trips take a hundred times
/// as long as the others, and without them such a one hides every level.
bool is_longer(std::vector<double> const& crossing, std::vector<double> const& inside) {
  constexpr double least_ratio = 1.02;
  Moments const far = log_moments_of(crossing);
  Moments const near = log_moments_of(inside);
  double const difference = far.mean - near.mean;
  std::size_t const degrees = far.n + near.n - 2;
  double const variance = (far.squares + near.squares) / static_cast<double>(degrees);
  double const error =
      std::sqrt(variance * (1 / static_cast<double>(far.n) + 1 / static_cast<double>(near.n)));
  return difference >= std::log(least_ratio) && difference > student_quantile(degrees) * error;
}

std::vector<double> joined(std::vector<double> first, std::vector<double> const& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

std::vector<LevelPairs> level_pairs(Places const& places, std::size_t most_pairs) {
  std::vector<LevelPairs> result;
  for (int level = 0; level < places.num_levels(); ++level) {
    if (std::optional<LevelPairs> found = largest_two(places, level)) {
      found->pairs = {
          pairs_inside(places, found->first, most_pairs),
          pairs_between(found->first, found->second, most_pairs),
          pairs_inside(places, found->second, most_pairs),
          pairs_between(found->second, found->first, most_pairs),
      };
      result.push_back(std::move(*found));
    }
  }
  if (result.empty() && places.num_ranks() > 1) {
    LevelPairs all{.level = places.num_levels(), .first = {}, .second = {}, .pairs = {}};
    all.first.resize(static_cast<std::size_t>(places.num_ranks()));
    std::iota(all.first.begin(), all.first.end(), 0);
    all.pairs[inside_first] = pairs_inside(places, all.first, most_pairs);
    result.push_back(std::move(all));
  }
  return result;
}

bool is_distinct(LevelTimes const& times) {
  bool is_tested = false;
  bool is_rejected = true;
  for (Kind const kind : {inside_first, inside_second}) {
    std::vector<double> const& inside = times[kind];
    std::vector<double> const& crossing = times[kind + 1];
    if (!inside.empty() && inside.size() + crossing.size() > 2) {
      is_tested = true;
      is_rejected = is_rejected && is_longer(crossing, inside);
    }
  }
  bool const has_inside = !times[inside_first].empty() || !times[inside_second].empty();
  return has_inside ? is_tested && is_rejected : true;
}

LevelCosts
level_costs(int num_levels, std::span<LevelPairs const> pairs, std::span<LevelTimes const> times) {
  LevelCosts costs{
      .rtt_us = std::vector<double>(static_cast<std::size_t>(num_levels) + 1),
      .group_level = num_levels,
  };
  if (pairs.empty()) {
    return costs;
  }
  LevelTimes const& last = times.back();
  std::vector<double> const inside = joined(last[inside_first], last[inside_second]);
  double us = median_of(inside.empty() ? joined(last[across], last[back]) : inside);
  std::size_t next = pairs.size();
  for (int level = num_levels; level >= 0; --level) {
    if (next > 0 && pairs[next - 1].level == level) {
      LevelTimes const& own = times[--next];
      if (level < num_levels && is_distinct(own)) {
        us = std::max(us, median_of(joined(own[across], own[back])));
        costs.group_level = level;
      }
    }
    costs.rtt_us[static_cast<std::size_t>(level)] = us;
  }
  return costs;
}

double channels_by_slowest(std::span<double const> slowest_us) {
  constexpr double kept = 0.75;
  for (std::size_t i = 1; i < slowest_us.size(); ++i) {
    if (slowest_us[0] < kept * slowest_us[i]) {
      return static_cast<double>(i);
    }
  }
  return Channels::unlimited;
}

}  // namespace espalier::mapping
