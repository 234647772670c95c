// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/walks/strips.hpp"

#include <algorithm>

#include "espalier/base/integer.hpp"
#include "espalier/mapping/walks/ploughing.hpp"

namespace espalier::mapping {
namespace {

/// One strip: a slice of it, and where it begins.
struct Strip {
  int origin = 0;
  std::vector<int> slice;  ///< positions relative to the origin, as an ox ploughs
};

Strip strip_at(CartesianGrid const& grid, Strips const& strips, std::vector<int> const& where) {
  Strip strip;
  std::vector<int> sizes(where.size(), 1);
  for (std::size_t i = 0; i < where.size(); ++i) {
    if (i != strips.along) {
      int const extent = grid.extents()[i];
      sizes[i] = static_cast<int>(part_size(extent, strips.counts[i], where[i]));
      strip.origin += grid.stride(static_cast<int>(i)) *
                      static_cast<int>(part_begin(extent, strips.counts[i], where[i]));
    }
  }
  Ploughing slice(sizes);
  do {
    strip.slice.push_back(grid.position(slice.coordinates()));
  } while (slice.advance());
  return strip;
}

}  // namespace

Walk walk_strips(CartesianGrid const& grid, Strips const& strips) {
  Walk walk;
  walk.reserve(static_cast<std::size_t>(grid.num_positions()));
  int const length = grid.extents()[strips.along];
  int const stride = grid.stride(static_cast<int>(strips.along));
  bool is_back = false;
  Ploughing order(strips.counts);
  do {
    Strip strip = strip_at(grid, strips, order.coordinates());
    for (int step = 0; step < length; ++step) {
      int const start = strip.origin + (is_back ? length - 1 - step : step) * stride;
      for (int const cell : strip.slice) {
        walk.push_back(start + cell);
      }
      std::ranges::reverse(strip.slice);
    }
    is_back = !is_back;
  } while (order.advance());
  return walk;
}

}  // namespace espalier::mapping
