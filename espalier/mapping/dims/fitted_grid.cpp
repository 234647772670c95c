// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/dims/fitted_grid.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "espalier/mapping/dims/least_sum.hpp"

namespace espalier::mapping {
namespace {

/// Groups of a level in each group of the level outside; level num_levels() is that of ranks.
std::vector<int> parts_inside(Places const& places, int level) {
  bool const is_innermost = level == places.num_levels();
  std::vector<int> parts(level == 0 ? 1 : places.sizes(level - 1).size());
  int last = -1;
  for (int const rank : places.hardware_order()) {
    int const outer = level == 0 ? 0 : places.group_of(level - 1, rank);
    int const inner = is_innermost ? rank : places.group_of(level, rank);
    parts[static_cast<std::size_t>(outer)] += inner != last ? 1 : 0;
    last = inner;
  }
  return parts;
}

struct LevelSizes {
  std::vector<int> sizes{};
  std::vector<double> costs{};  ///< as the places have them
};

std::optional<LevelSizes> level_sizes(Places const& places) {
  LevelSizes result;
  double cost = 1;
  for (int level = 0; level <= places.num_levels(); ++level) {
    bool const is_innermost = level == places.num_levels();
    cost = is_innermost ? cost * Places::inner_cost : places.groups(level).cost;
    std::vector<int> const parts = parts_inside(places, level);
    if (std::ranges::adjacent_find(parts, std::not_equal_to()) != parts.end()) {
      return std::nullopt;
    }
    if (parts.front() > 1) {
      result.sizes.push_back(parts.front());
      result.costs.push_back(cost);
    }
  }
  if (result.sizes.empty()) {
    result = {.sizes = {1}, .costs = {1}};
  }
  return result;
}

std::vector<double> weights_of(GridWish const& wish) {
  return wish.weights.empty() ? std::vector<double>(wish.dims.size(), 1.0) : wish.weights;
}

/// Costs that were given, then those of the places in proportion.
std::vector<double> costs_of(GridWish const& wish, std::vector<double> costs) {
  std::size_t const num_given = std::min(wish.costs.size(), costs.size());
  double const scale = num_given == 0 ? 1 : wish.costs[num_given - 1] / costs[num_given - 1];
  for (std::size_t level = 0; level < costs.size(); ++level) {
    costs[level] = level < num_given ? wish.costs[level] : costs[level] * scale;
  }
  return costs;
}

}  // namespace

std::optional<std::vector<int>> equal_parts(Places const& places) {
  std::optional<LevelSizes> found = level_sizes(places);
  return found ? std::optional(std::move(found->sizes)) : std::nullopt;
}

Places first_places(Places const& places, int num_ranks) {
  std::vector<Places::LevelGroups> levels;
  for (int level = 0; level < places.num_levels(); ++level) {
    Places::LevelGroups& part = levels.emplace_back(places.groups(level));
    part.group_of_rank.resize(static_cast<std::size_t>(num_ranks));
  }
  return Places(std::move(levels));
}

FittedDims fit_dims(Places const& places, GridWish const& wish) {
  std::vector<double> const weights = weights_of(wish);
  std::optional<LevelSizes> const levels = level_sizes(places);
  if (!levels) {
    return {.dims = weighted_dims(places.num_ranks(), weights, wish.dims)};
  }
  MultiLevelDims dims_ml =
      wish.is_joint ? joint_dims(levels->sizes, costs_of(wish, levels->costs), weights, wish.dims)
                    : multi_level_dims(levels->sizes, weights, wish.dims);
  std::vector<int> dims = extents(dims_ml);
  return {.dims = std::move(dims), .dims_ml = std::move(dims_ml)};
}

RankVector lay_levels(MultiLevelDims const& dims_ml, Places const& places) {
  RankVector ranks = multi_level_order(dims_ml);
  for (int& rank : ranks) {
    rank = places.hardware_order()[static_cast<std::size_t>(rank)];
  }
  return ranks;
}

Stencil weighted_stencil(std::span<int const> dims, std::span<double const> weights) {
  int const num_dimensions = static_cast<int>(dims.size());
  std::vector<double> const all = normalised(weights, dims.size());
  std::vector<Stencil::Neighbor> neighbors = Stencil::nearest(num_dimensions).neighbors();
  std::erase_if(neighbors, [&](Stencil::Neighbor& neighbor) {
    auto const along = std::ranges::find_if(neighbor.offset, [](int step) { return step != 0; });
    auto const dimension = static_cast<std::size_t>(along - neighbor.offset.begin());
    neighbor.weight = dims[dimension] * all[dimension];
    return !(neighbor.weight > 0);
  });
  return neighbors.empty() ? Stencil::nearest(num_dimensions)
                           : Stencil(num_dimensions, std::move(neighbors));
}

}  // namespace espalier::mapping
