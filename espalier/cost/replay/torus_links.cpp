// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/replay/torus_links.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::cost {
namespace {

std::int64_t num_points(machine::Torus const& torus) {
  std::int64_t points = 1;
  for (int const extent : torus.extents) {
    points *= std::max(extent, 0);
  }
  return points;
}

}  // namespace

TorusLinks::TorusLinks(machine::Torus const& torus, int num_nodes) : torus_(torus) {
  if (num_points(torus) != num_nodes) {
    throw Error(
        ErrorCode::argument,
        "expected a torus with a point for each of " + std::to_string(num_nodes) +
            " nodes, got one with " + std::to_string(num_points(torus))
    );
  }
  if (are_shared()) {
    int const num_links = num_nodes * 2 * static_cast<int>(torus_.extents.size());
    links_ = Channels(num_links, 1, 2);
  }
}

TorusLinks::Hop TorusLinks::next_hop(int from, int to) const {
  int const num_dimensions = static_cast<int>(torus_.extents.size());
  int stride = 1;
  int dimension = 0;
  while (from / stride % extent(dimension) == to / stride % extent(dimension)) {
    stride *= extent(dimension++);
  }
  int const position = from / stride % extent(dimension);
  int const upwards = wrap(to / stride % extent(dimension) - position, extent(dimension));
  bool const goes_up = upwards <= extent(dimension) - upwards;
  int const next = wrap(position + (goes_up ? 1 : -1), extent(dimension));
  return {
      .link = (from * num_dimensions + dimension) * 2 + (goes_up ? 0 : 1),
      .node = from + (next - position) * stride,
  };
}

int TorusLinks::num_hops(int from, int to) const {
  int hops = 0;
  for (int const extent : torus_.extents) {
    int const upwards = wrap(to % extent - from % extent, extent);
    hops += std::min(upwards, extent - upwards);
    from /= extent;
    to /= extent;
  }
  return hops;
}

}  // namespace espalier::cost
