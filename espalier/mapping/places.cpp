// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/places.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "espalier/base/error.hpp"

namespace espalier::mapping {
namespace {

using Groups = std::vector<int>;  // of each rank

/// The same groups, counted from 0 in the order in which `order` meets them.
Groups renumbered(Groups const& group_of_rank, std::vector<int> const& order) {
  std::unordered_map<int, int> number_of;
  Groups result(group_of_rank.size());
  for (int const rank : order) {
    int const next = static_cast<int>(number_of.size());
    int const group = group_of_rank[static_cast<std::size_t>(rank)];
    result[static_cast<std::size_t>(rank)] = number_of.emplace(group, next).first->second;
  }
  return result;
}

int num_groups(Groups const& group_of_rank) {
  return std::ranges::max(group_of_rank) + 1;
}

std::vector<int> sizes_of(Groups const& group_of_rank) {
  std::vector<int> sizes(static_cast<std::size_t>(num_groups(group_of_rank)));
  for (int const group : group_of_rank) {
    ++sizes[static_cast<std::size_t>(group)];
  }
  return sizes;
}

/// `order`, by groups; ranks of a group stay in their order.
std::vector<int> sorted(std::vector<int> const& order, Groups const& group_of_rank) {
  std::vector<int> const sizes = sizes_of(group_of_rank);
  std::vector<int> next(sizes.size());
  std::exclusive_scan(sizes.begin(), sizes.end(), next.begin(), 0);
  std::vector<int> result(order.size());
  for (int const rank : order) {
    auto const group = static_cast<std::size_t>(group_of_rank[static_cast<std::size_t>(rank)]);
    result[static_cast<std::size_t>(next[group]++)] = rank;
  }
  return result;
}

void check_level(Places::LevelGroups const& level, std::size_t num_ranks) {
  if (level.group_of_rank.size() != num_ranks) {
    throw Error(
        ErrorCode::argument,
        "expected groups of " + std::to_string(num_ranks) + " ranks in every level, got " +
            std::to_string(level.group_of_rank.size()) + " in level " + level.name
    );
  }
  if (!std::isfinite(level.cost) || level.cost <= 0) {
    throw Error(
        ErrorCode::argument,
        "expected a cost above 0 of level " + level.name + ", got " + std::to_string(level.cost)
    );
  }
}

void check_inside(Places::LevelGroups const& inner, Places::LevelGroups const& outer) {
  std::unordered_map<int, int> outer_of;
  for (std::size_t rank = 0; rank < inner.group_of_rank.size(); ++rank) {
    int const group = outer.group_of_rank[rank];
    if (outer_of.emplace(inner.group_of_rank[rank], group).first->second != group) {
      throw Error(
          ErrorCode::argument,
          "expected every group of level " + inner.name + " inside one of level " + outer.name +
              ", got one in several that rank " + std::to_string(rank) + " belongs to"
      );
    }
  }
}

void check(std::vector<Places::LevelGroups> const& levels) {
  if (levels.empty() || levels.front().group_of_rank.empty()) {
    throw Error(ErrorCode::argument, "expected places of at least one rank, got none");
  }
  for (Places::LevelGroups const& level : levels) {
    check_level(level, levels.front().group_of_rank.size());
  }
  for (std::size_t level = 1; level < levels.size(); ++level) {
    check_inside(levels[level], levels[level - 1]);
  }
}

/// Levels of a machine as its ranks see them, without costs.
std::vector<Places::LevelGroups>
levels_of(machine::Machine const& machine, std::span<int const> core_of_rank) {
  std::vector<Places::LevelGroups> levels;
  for (int level = 0; level < machine.num_levels(); ++level) {
    Places::LevelGroups& here =
        levels.emplace_back(Places::LevelGroups{.name = machine.name(level)});
    for (int const core : core_of_rank) {
      here.group_of_rank.push_back(machine.object_of(level, core));
    }
    std::unordered_map<int, int> size_of;
    bool const are_alone =
        std::ranges::all_of(here.group_of_rank, [&](int group) { return ++size_of[group] == 1; });
    if (are_alone && level > 0) {
      levels.pop_back();
      break;
    }
  }
  return levels;
}

/// Time per byte that leaves the largest group of a level while all its ranks send; 0 if the link
/// says nothing.
double time_per_byte(machine::Link const& link, std::vector<int> const& sizes, int outer_size) {
  double const size = std::ranges::max(sizes);
  double const own_part = link.shared_channels * size / outer_size;
  return link.beta() / std::min({size, link.channels, own_part});
}

std::vector<double> costs_of(machine::Machine const& machine, Places const& places) {
  std::vector<double> costs;
  double unit = 0;
  int outer_size = places.num_ranks();
  for (int level = 0; level < places.num_levels(); ++level) {
    std::vector<int> const& sizes = places.sizes(level);
    double const time = time_per_byte(machine.link(level), sizes, outer_size);
    bool const is_first = costs.empty() || places.sizes(level - 1).size() == 1;
    if (is_first) {
      unit = time;
      costs.push_back(1);
    } else {
      bool const is_known = unit > 0 && time > 0;
      costs.push_back(is_known ? time / unit : costs.back() * Places::inner_cost);
    }
    outer_size = std::ranges::max(sizes);
  }
  return costs;
}

}  // namespace

Places::Places(std::vector<LevelGroups> levels) : levels_(std::move(levels)) {
  check(levels_);
  order_.resize(levels_.front().group_of_rank.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::vector<int> const ascending = order_;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    order_ = sorted(order_, renumbered(level->group_of_rank, ascending));
  }
  for (LevelGroups& level : levels_) {
    level.group_of_rank = renumbered(level.group_of_rank, order_);
    sizes_.push_back(sizes_of(level.group_of_rank));
  }
}

Places places_of(machine::Machine const& machine, std::span<int const> core_of_rank) {
  for (int const core : core_of_rank) {
    if (core < 0 || core >= machine.num_cores()) {
      throw Error(
          ErrorCode::argument,
          "expected ranks on cores 0 .. " + std::to_string(machine.num_cores() - 1) + ", got " +
              std::to_string(core)
      );
    }
  }
  std::vector<Places::LevelGroups> levels = levels_of(machine, core_of_rank);
  std::vector<double> const costs = costs_of(machine, Places(levels));
  for (std::size_t level = 0; level < levels.size(); ++level) {
    levels[level].cost = costs[level];
  }
  return Places(std::move(levels));
}

}  // namespace espalier::mapping
