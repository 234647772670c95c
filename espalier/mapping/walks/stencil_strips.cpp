// SPDX-License-Identifier: Apache-2.0

/// @file
/// Stencil strips: the grid is cut into strips as wide as the best block of a node, which are
/// walked slice by slice, up one strip and down the next.
///
///     element of the walk at each position, 6 x 4, two strips
///      0  1 | 23 22
///      3  2 | 20 21
///      4  5 | 19 18
///      7  6 | 16 17
///      8  9 | 15 14
///     11 10 | 12 13
///
/// Strips run along any dimension and are a little wider or narrower than the block, as they fit;
/// the best is taken. In more than two dimensions they are rods, walked like an ox ploughs too.
/// What a node gets is cut among its packages as by hyperplane.
///
/// Valid   always.
/// Source  [kirchbach2020].

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "espalier/mapping/walk.hpp"
#include "espalier/mapping/walks/bisection.hpp"
#include "espalier/mapping/walks/choice.hpp"
#include "espalier/mapping/walks/crossings.hpp"
#include "espalier/mapping/walks/sizes.hpp"
#include "espalier/mapping/walks/strips.hpp"

namespace espalier::mapping {
namespace {

/// Strips a little wider and narrower than `sides`; in many dimensions not narrower.
std::vector<Strips>
strips_along(CartesianGrid const& grid, std::vector<double> const& sides, std::size_t along) {
  constexpr std::size_t most_tried = 8;
  std::vector<Strips> result{{.along = along, .counts = {}}};
  for (std::size_t i = 0; i < sides.size(); ++i) {
    std::vector<Strips> longer;
    int const most = i == along ? 1 : grid.extents()[i];
    int const fewer = std::clamp(static_cast<int>(most / sides[i]), 1, most);
    for (Strips const& strips : result) {
      int const more = fewer < most && sides.size() <= most_tried ? fewer + 1 : fewer;
      for (int count = fewer; count <= more; ++count) {
        longer.push_back(strips);
        longer.back().counts.push_back(count);
      }
    }
    result = std::move(longer);
  }
  return result;
}

/// The surface of a node's piece of a strip.
double estimate(
    CartesianGrid const& grid, Strips const& strips, double size, std::vector<double> const& weights
) {
  std::vector<double> sides(weights.size());
  sides[strips.along] = size;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (i != strips.along) {
      sides[i] = static_cast<double>(grid.extents()[i]) / strips.counts[i];
      sides[strips.along] /= sides[i];
    }
  }
  sides[strips.along] = std::max(sides[strips.along], 1.0);
  return surface(sides, weights);
}

Walk stencil_strips(Problem const& problem) {
  std::vector<double> const weights = crossings(problem);
  std::vector<double> const most(problem.grid.extents().begin(), problem.grid.extents().end());
  double const size = mean_size(problem.places);
  std::vector<double> const sides = best_sides(size, weights, most);
  std::vector<Variant> variants;
  for (std::size_t along = 0; along < sides.size(); ++along) {
    for (Strips const& strips : strips_along(problem.grid, sides, along)) {
      variants.push_back({
          .estimate = estimate(problem.grid, strips, size, weights),
          .make =
              [&problem, strips] {
                return Bisection(problem, {}).inside(walk_strips(problem.grid, strips));
              },
      });
    }
  }
  return best_of(problem, std::move(variants));
}

}  // namespace

extern WalkAlgorithm const stencil_strips_walk{
    .name = "stencil_strips",
    .summary = "strips as wide as the best block of a node, up one and down the next",
    .source = "kirchbach2020",
    .walk = stencil_strips,
};

}  // namespace espalier::mapping
