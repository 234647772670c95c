// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/search/level_search.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "espalier/mapping/index.hpp"
#include "espalier/mapping/score.hpp"
#include "espalier/mapping/splitting/growing.hpp"

namespace espalier::mapping {
namespace {

/// Rounds over the groups that changed; most gains come in the first two.
constexpr int most_passes = 16;
/// Regions without success in a row after which all is said to be good: for each group.
constexpr int patience = 12;
/// How often the groups of a parent are grown anew all together.
constexpr int attempts = 2;
constexpr std::size_t largest_region = 6;

}  // namespace

LevelSearch::LevelSearch(
    TwoWayGraph const& graph,
    std::vector<int> group_of_vertex,
    std::vector<int> parent_of_group,
    std::int64_t max_trials
)
    : swaps_(graph, std::move(group_of_vertex), parent_of_group), graph_(graph),
      parent_(std::move(parent_of_group)), max_trials_(max_trials),
      is_active_(parent_.size(), true), number_of_vertex_(at(graph.num_vertices()), -1) {}

std::int64_t LevelSearch::run() {
  lower();
  rebuild_families();
  lower();
  while (lower_regions()) {
    lower();
  }
  return swaps_.trials();
}

double LevelSearch::objective() const noexcept {
  return swaps_.total() / swaps_.num_groups() + swaps_.worst();
}

/// Groups of one parent inside the outermost level: what fitted their old members need not fit the
/// new ones.
void LevelSearch::rebuild_families() {
  if (std::ranges::all_of(parent_, [&](int parent) { return parent == parent_.front(); })) {
    return;
  }
  most_leaving_ = swaps_.worst();
  std::vector<int> family;
  for (int group = 0; group < swaps_.num_groups() && !is_spent(); ++group) {
    family.push_back(group);
    bool const is_last =
        group + 1 == swaps_.num_groups() || parent_[at(group + 1)] != parent_[at(group)];
    if (is_last) {
      for (int attempt = 0; attempt < attempts && family.size() > 1; ++attempt) {
        try_region(family);
      }
      family.clear();
    }
  }
}

void LevelSearch::lower() {
  do {
    for (int pass = 0; pass < most_passes && lower_total(); ++pass) {
    }
  } while (lower_worst());
}

/// All pairs of which a group changed since the last time; true if any got better.
bool LevelSearch::lower_total() {
  std::vector<bool> const was_active =
      std::exchange(is_active_, std::vector<bool>(is_active_.size(), false));
  bool has_changed = false;
  most_leaving_ = swaps_.worst();
  for (int a = 0; a < swaps_.num_groups() && !is_spent(); ++a) {
    if (!was_active[at(a)]) {
      continue;
    }
    for (int const b : swaps_.joined(a)) {
      if ((b > a || !was_active[at(b)]) && swaps_.improve(a, b, Goal::total, most_leaving_)) {
        is_active_[at(a)] = is_active_[at(b)] = true;
        has_changed = true;
      }
    }
  }
  return has_changed;
}

/// Takes something from every group that most leaves, at the price of others, if it pays for the
/// level as a whole.
bool LevelSearch::lower_worst() {
  std::vector<int> before = swaps_.group_of_vertex();
  double const objective_before = objective();
  double const worst = swaps_.worst() * (1 - rounding);
  bool is_lower = worst > 0;
  for (int group = 0; group < swaps_.num_groups() && is_lower; ++group) {
    is_lower = swaps_.leaving(group) < worst || relieve(group, worst);
  }
  if (is_lower && objective() < objective_before * (1 - rounding)) {
    return true;
  }
  swaps_.reset(std::move(before));
  return false;
}

/// True if less than the worst leaves the group then.
bool LevelSearch::relieve(int group, double worst) {
  for (int const other : swaps_.joined(group)) {
    if (is_spent()) {
      return false;
    }
    if (swaps_.improve(group, other, Goal::worst, worst)) {
      is_active_[at(group)] = is_active_[at(other)] = true;
    }
    if (swaps_.leaving(group) < worst) {
      return true;
    }
  }
  return false;
}

/// Regions around all groups in turn; true if some got better.
bool LevelSearch::lower_regions() {
  double const before = objective();
  most_leaving_ = swaps_.worst();
  int failures = 0;
  for (int group = 0; failures < patience * swaps_.num_groups() && !is_spent();
       group = (group + 1) % swaps_.num_groups()) {
    auto const size = 2 + at(random_below(static_cast<int>(largest_region) - 1));
    std::vector<int> const region = region_around(group, size);
    failures = region.size() > 1 && try_region(region) ? 0 : failures + 1;
  }
  return objective() < before * (1 - rounding);
}

/// The group and some that edges join to it or to each other.
std::vector<int> LevelSearch::region_around(int group, std::size_t size) {
  std::vector<int> region{group};
  std::vector<int> beside = swaps_.joined(group);
  while (region.size() < size && !beside.empty()) {
    int const next = beside[at(random_below(static_cast<int>(beside.size())))];
    region.push_back(next);
    for (int const other : swaps_.joined(next)) {
      beside.push_back(other);
    }
    std::erase_if(beside, [&](int other) {
      return std::ranges::find(region, other) != region.end();
    });
  }
  return region;
}

/// True if less leaves the groups of the region together than before, or as much and less leaves
/// the worst. If nothing is lost, a change is kept, too: it may open a way.
bool LevelSearch::try_region(std::vector<int> const& region) {
  auto const sum_and_worst = [&] {
    std::pair<double, double> result;
    for (int const group : region) {
      result.first += swaps_.leaving(group);
      result.second = std::max(result.second, swaps_.leaving(group));
    }
    return result;
  };
  std::vector<int> vertices;
  std::vector<int> groups;
  for (int const group : region) {
    std::span<int const> const members = swaps_.members(group);
    vertices.insert(vertices.end(), members.begin(), members.end());
    groups.insert(groups.end(), members.size(), group);
  }
  auto const [sum, worst] = sum_and_worst();
  swaps_.regroup(region, vertices, regrown(dissolved(vertices), region));
  improve_region(region);
  auto const [new_sum, new_worst] = sum_and_worst();
  double const slack = swaps_.tolerance();
  bool const is_less =
      new_sum < sum - slack || (new_sum <= sum + slack && new_worst < worst - slack);
  if (new_sum > sum + slack || new_worst > worst + slack) {
    swaps_.regroup(region, vertices, groups);
    return false;
  }
  for (int const group : region) {
    is_active_[at(group)] = true;
  }
  return is_less;
}

/// The edges inside a region.
Graph LevelSearch::dissolved(std::span<int const> vertices) {
  for (std::size_t number = 0; number < vertices.size(); ++number) {
    number_of_vertex_[at(vertices[number])] = static_cast<int>(number);
  }
  Graph part;
  part.first.push_back(0);
  for (int const vertex : vertices) {
    for (std::size_t edge = graph_.begin(vertex); edge < graph_.end(vertex); ++edge) {
      if (int const number = number_of_vertex_[at(graph_.neighbor[edge])]; number >= 0) {
        part.neighbor.push_back(number);
        part.weight.push_back(graph_.both(edge));
      }
    }
    part.first.push_back(static_cast<std::int64_t>(part.neighbor.size()));
  }
  for (int const vertex : vertices) {
    number_of_vertex_[at(vertex)] = -1;
  }
  return part;
}

/// The groups of a region in another order, from another vertex.
std::vector<int> LevelSearch::regrown(Graph const& part, std::span<int const> region) {
  std::vector<int> order(region.begin(), region.end());
  for (std::size_t i = order.size() - 1; i > 0; --i) {
    std::swap(order[i], order[at(random_below(static_cast<int>(i) + 1))]);
  }
  Growing growing(part);
  int const start = random_below(part.num_vertices());
  int const seed = random_below(4) == 0 ? start : peripheral_vertex(part, start);
  growing.grow_from(seed, static_cast<int>(swaps_.members(order.front()).size()));
  for (std::size_t i = 1; i < order.size(); ++i) {
    growing.grow(static_cast<int>(swaps_.members(order[i]).size()));
  }
  std::vector<int> groups = growing.group_of_vertex();
  std::ranges::transform(groups, groups.begin(), [&](int number) { return order[at(number)]; });
  return groups;
}

void LevelSearch::improve_region(std::span<int const> region) {
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t i = 0; i < region.size(); ++i) {
      for (std::size_t j = i + 1; j < region.size(); ++j) {
        swaps_.improve(region[i], region[j], Goal::total, most_leaving_);
      }
    }
  }
}

int LevelSearch::random_below(int limit) {
  return static_cast<int>(random_() % static_cast<std::uint64_t>(limit));
}

}  // namespace espalier::mapping
