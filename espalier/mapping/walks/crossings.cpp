// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/walks/crossings.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>

#include "espalier/base/integer.hpp"

namespace espalier::mapping {

std::vector<int> shortest(CartesianGrid const& grid, Stencil::Neighbor const& neighbor) {
  std::vector<int> way = neighbor.offset;
  for (std::size_t i = 0; i < way.size(); ++i) {
    int const extent = grid.extents()[i];
    if (grid.is_periodic(static_cast<int>(i))) {
      int const forward = wrap(way[i], extent);
      way[i] = forward <= extent / 2 ? forward : forward - extent;
    } else if (std::abs(std::int64_t{way[i]}) >= extent) {
      return {};
    }
  }
  return way;
}

std::vector<double> crossings(Problem const& problem) {
  std::vector<double> result(static_cast<std::size_t>(problem.grid.num_dimensions()));
  for (Stencil::Neighbor const& neighbor : problem.stencil.neighbors()) {
    std::vector<int> const way = shortest(problem.grid, neighbor);
    for (std::size_t i = 0; i < way.size(); ++i) {
      result[i] += neighbor.weight * std::abs(way[i]);
    }
  }
  return result;
}

double inner_weight(Problem const& problem, std::span<int const> block) {
  double sum = 0;
  for (Stencil::Neighbor const& neighbor : problem.stencil.neighbors()) {
    std::vector<int> const way = shortest(problem.grid, neighbor);
    double cells = way.empty() ? 0 : 1;
    for (std::size_t i = 0; i < way.size(); ++i) {
      bool const is_ring =
          problem.grid.is_periodic(static_cast<int>(i)) && block[i] == problem.grid.extents()[i];
      cells *= is_ring ? block[i] : std::max(0, block[i] - std::abs(way[i]));
    }
    sum += neighbor.weight * cells;
  }
  return sum;
}

std::vector<double>
best_sides(double size, std::span<double const> crossings, std::span<double const> most) {
  std::vector<double> sides(crossings.size());
  std::vector<bool> is_set(crossings.size());
  // Sides that would be too short or too long are cut; the others share what is left.
  while (true) {
    double product = size;
    double num_free = 0;
    for (std::size_t i = 0; i < sides.size(); ++i) {
      product /= is_set[i] ? sides[i] : std::max(crossings[i], 1e-9);
      num_free += is_set[i] ? 0 : 1;
    }
    if (num_free == 0) {
      return sides;
    }
    double const scale = std::pow(product, 1 / num_free);
    bool is_any_short = false;
    bool is_any_long = false;
    for (std::size_t i = 0; i < sides.size(); ++i) {
      if (!is_set[i]) {
        sides[i] = scale * std::max(crossings[i], 1e-9);
        is_any_long = is_any_long || sides[i] > most[i];
        is_any_short = is_any_short || sides[i] < 1;
      }
    }
    if (!is_any_long && !is_any_short) {
      return sides;
    }
    for (std::size_t i = 0; i < sides.size(); ++i) {
      bool const is_out = is_any_long ? sides[i] > most[i] : sides[i] < 1;
      if (!is_set[i] && is_out) {
        sides[i] = is_any_long ? most[i] : 1;
        is_set[i] = true;
      }
    }
  }
}

double surface(std::span<double const> sides, std::span<double const> crossings) {
  double size = 1;
  for (double const side : sides) {
    size *= side;
  }
  double sum = 0;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    sum += crossings[i] * size / sides[i];
  }
  return sum;
}

}  // namespace espalier::mapping
