// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/walks/bisection.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "espalier/mapping/walks/crossings.hpp"

namespace espalier::mapping {
namespace {

struct Indices {
  std::size_t begin;
  std::size_t end;
};

/// Indices of the eight elements around the first that is not below `half`.
Indices near_half(std::span<int const> ends, int half) {
  constexpr std::ptrdiff_t most = 8;
  auto const size = std::ssize(ends);
  auto const near = std::ranges::lower_bound(ends, half) - ends.begin();
  auto const first =
      std::clamp(near - most / 2, std::ptrdiff_t{0}, std::max(size - most, std::ptrdiff_t{0}));
  return {
      .begin = static_cast<std::size_t>(first),
      .end = static_cast<std::size_t>(std::min(first + most, size)),
  };
}

/// The ends of the groups of each level, along the hardware order.
std::vector<std::vector<int>> ends_of(Places const& places) {
  std::vector<std::vector<int>> ends;
  for (int level = 0; level < places.num_levels(); ++level) {
    std::vector<int> const& sizes = places.sizes(level);
    std::partial_sum(sizes.begin(), sizes.end(), std::back_inserter(ends.emplace_back()));
  }
  return ends;
}

}  // namespace

Bisection::Bisection(Problem const& problem, Rule const& rule)
    : rule_(rule), crossings_(crossings(problem)), ends_(ends_of(problem.places)),
      coordinates_(crossings_.size()),
      walk_(static_cast<std::size_t>(problem.grid.num_positions())) {
  std::iota(walk_.begin(), walk_.end(), 0);
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    for (int const position : walk_) {
      coordinates_[i].push_back(problem.grid.coordinate(position, static_cast<int>(i)));
    }
  }
}

Walk Bisection::run() {
  split({.begin = 0, .end = static_cast<int>(walk_.size()), .level = 0});
  return std::move(walk_);
}

Walk Bisection::inside(Walk walk) {
  walk_ = std::move(walk);
  Region region{.begin = 0, .end = static_cast<int>(walk_.size()), .level = 0};
  while (region.level < static_cast<int>(ends_.size()) && ends_inside(region).empty()) {
    ++region.level;
  }
  if (region.level + 1 < static_cast<int>(ends_.size())) {
    std::vector<int> const& ends = ends_[static_cast<std::size_t>(region.level)];
    ++region.level;
    for (int const end : ends) {
      region.end = end;
      std::sort(walk_.begin() + region.begin, walk_.begin() + region.end);
      split(region);
      region.begin = end;
    }
  }
  return std::move(walk_);
}

std::span<int const> Bisection::ends_inside(Region const& region) const {
  std::vector<int> const& ends = ends_[static_cast<std::size_t>(region.level)];
  auto const first = std::ranges::upper_bound(ends, region.begin);
  return {first, std::ranges::lower_bound(first, ends.end(), region.end)};
}

void Bisection::split(Region const& region) {
  if (region.level == static_cast<int>(ends_.size())) {
    return;
  }
  Region inner = region;
  if (ends_inside(region).empty()) {
    ++inner.level;
    split(inner);
    return;
  }
  int const middle = divide(region, best_section(region));
  inner.end = middle;
  split(inner);
  inner.begin = middle;
  inner.end = region.end;
  split(inner);
}

std::vector<int> Bisection::profile(Region const& region, std::size_t dimension) const {
  std::vector<int> const& coordinates = coordinates_[dimension];
  auto const cells = std::span(walk_).subspan(
      static_cast<std::size_t>(region.begin), static_cast<std::size_t>(region.size())
  );
  int least = std::numeric_limits<int>::max();
  int most = 0;
  for (int const cell : cells) {
    least = std::min(least, coordinates[static_cast<std::size_t>(cell)]);
    most = std::max(most, coordinates[static_cast<std::size_t>(cell)]);
  }
  std::vector<int> counts(static_cast<std::size_t>(most - least) + 1);
  for (int const cell : cells) {
    ++counts[static_cast<std::size_t>(coordinates[static_cast<std::size_t>(cell)] - least)];
  }
  return counts;
}

Bisection::Section Bisection::best_section(Region const& region) const {
  std::vector<std::vector<int>> profiles;
  std::vector<double> extents;
  for (std::size_t i = 0; i < crossings_.size(); ++i) {
    profiles.push_back(profile(region, i));
    extents.push_back(static_cast<double>(profiles.back().size()));
  }
  std::span<int const> const ends = ends_inside(region);
  int const half = region.begin + region.size() / 2;
  Section best{.cost = std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    Indices const near = near_half(ends, half);
    for (std::size_t end = near.begin; end < near.end; ++end) {
      Section const section = section_at(
          region,
          profiles[i],
          extents,
          {.middle = ends[end],
           .dimension = i,
           .groups_below = end + 1,
           .groups_above = ends.size() - end}
      );
      bool const is_more_even = std::abs(ends[end] - half) < std::abs(best.middle - half);
      if (section.cost < best.cost || (section.cost == best.cost && is_more_even)) {
        best = section;
      }
    }
  }
  return best;
}

Bisection::Section Bisection::section_at(
    Region const& region,
    std::vector<int> const& profile,
    std::vector<double>& extents,
    Section section
) const {
  std::size_t const i = section.dimension;
  int left = section.middle - region.begin;
  std::size_t slice = 0;
  for (; left >= profile[slice]; ++slice) {
    left -= profile[slice];
  }
  double const cells = profile[slice];
  section.cost = crossings_[i] * (left == 0 ? std::min<double>(cells, profile[slice - 1]) : cells);
  if (left != 0) {
    double step = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < extents.size(); ++j) {
      step = j == i ? step : std::min(step, crossings_[j] * std::max(1.0, cells / extents[j]));
    }
    section.cost += extents.size() > 1 ? rule_.step * step : 0;
  }
  double const before = static_cast<double>(slice) + left / cells;
  double const whole = extents[i];
  extents[i] = std::max(before, 1.0);
  section.cost +=
      rule_.inside * cost_inside(section.middle - region.begin, section.groups_below, extents);
  extents[i] = std::max(whole - before, 1.0);
  section.cost +=
      rule_.inside * cost_inside(region.end - section.middle, section.groups_above, extents);
  extents[i] = whole;
  return section;
}

double
Bisection::cost_inside(int size, std::size_t num_groups, std::vector<double> const& extents) const {
  if (num_groups == 1) {
    return 0;
  }
  double faces = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    faces += crossings_[i] * size / extents[i];
  }
  auto const count = static_cast<double>(num_groups);
  return count * surface(best_sides(size / count, crossings_, extents), crossings_) - faces;
}

int Bisection::divide(Region const& region, Section const& section) {
  std::vector<int> const& coordinates = coordinates_[section.dimension];
  std::vector<int> const counts = profile(region, section.dimension);
  int left = section.middle - region.begin;
  int slice = std::numeric_limits<int>::max();
  auto const begin = walk_.begin() + region.begin;
  auto const end = walk_.begin() + region.end;
  for (auto cell = begin; cell != end; ++cell) {
    slice = std::min(slice, coordinates[static_cast<std::size_t>(*cell)]);
  }
  for (std::size_t i = 0; left >= counts[i]; ++i) {
    left -= counts[i];
    ++slice;
  }
  rest_.clear();
  auto out = begin;
  for (auto cell = begin; cell != end; ++cell) {
    int const coordinate = coordinates[static_cast<std::size_t>(*cell)];
    bool const is_in_step = coordinate == slice && left > 0;
    left -= is_in_step ? 1 : 0;
    if (coordinate < slice || is_in_step) {
      *out++ = *cell;
    } else {
      rest_.push_back(*cell);
    }
  }
  std::ranges::copy(rest_, out);
  return section.middle;
}

}  // namespace espalier::mapping
