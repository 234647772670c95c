// SPDX-License-Identifier: Apache-2.0

/// @file
/// Snake: along one dimension, and back along the next line.
///
///     4 x 6, fast across        fast down
///     >  >  >  >  >  v          v  >  v  >  v  >
///     v  <  <  <  <  <          v  ^  v  ^  v  ^
///     >  >  >  >  >  v          v  ^  v  ^  v  ^
///     .  <  <  <  <  <          >  ^  >  ^  >  .
///
/// Pieces of it are lines, or as thick as the dimensions behind are short: best where one dimension
/// carries nearly all, for nodes of few ranks and for narrow grids. All orders of up to four
/// dimensions are tried; more are ordered by what crosses them.
///
/// Valid   always.
/// Source  common knowledge.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "espalier/mapping/walk.hpp"
#include "espalier/mapping/walks/choice.hpp"
#include "espalier/mapping/walks/crossings.hpp"
#include "espalier/mapping/walks/ploughing.hpp"
#include "espalier/mapping/walks/sizes.hpp"

namespace espalier::mapping {
namespace {

using DimensionOrder = std::vector<std::size_t>;  // of dimensions, the last one fastest

Walk plough(CartesianGrid const& grid, DimensionOrder const& order) {
  std::vector<int> extents;
  std::vector<int> strides;
  for (std::size_t const dimension : order) {
    extents.push_back(grid.extents()[dimension]);
    strides.push_back(grid.stride(static_cast<int>(dimension)));
  }
  Walk walk;
  walk.reserve(static_cast<std::size_t>(grid.num_positions()));
  Ploughing cells(std::move(extents));
  do {
    walk.push_back(
        std::inner_product(strides.begin(), strides.end(), cells.coordinates().begin(), 0)
    );
  } while (cells.advance());
  return walk;
}

/// The surface of a node's piece of the walk.
double estimate(
    CartesianGrid const& grid,
    DimensionOrder const& order,
    double size,
    std::vector<double> const& weights
) {
  std::vector<double> sides(order.size());
  for (auto dimension = order.rbegin(); dimension != order.rend(); ++dimension) {
    double const extent = grid.extents()[*dimension];
    sides[*dimension] = std::clamp(size, 1.0, extent);
    size /= extent;
  }
  return surface(sides, weights);
}

Walk snake(Problem const& problem) {
  constexpr std::size_t most_permuted = 4;
  std::vector<double> const weights = crossings(problem);
  double const size = mean_size(problem.places);
  DimensionOrder order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<Variant> variants;
  if (order.size() > most_permuted) {
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return weights[i]; });
    return plough(problem.grid, order);
  }
  do {
    variants.push_back({
        .estimate = estimate(problem.grid, order, size, weights),
        .make = [&problem, order] { return plough(problem.grid, order); },
    });
  } while (std::ranges::next_permutation(order).found);
  return best_of(problem, std::move(variants));
}

}  // namespace

extern WalkAlgorithm const snake_walk{
    .name = "snake",
    .summary = "along a line, and back along the next one",
    .source = "",
    .walk = snake,
};

}  // namespace espalier::mapping
