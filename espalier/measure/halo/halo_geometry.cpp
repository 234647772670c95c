// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/halo/halo_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::measure {
namespace {

/// Points of the part of a process along a dimension.
std::int64_t local_points(double wanted_total, int num_parts) {
  return std::max<std::int64_t>(1, std::llround(wanted_total / num_parts));
}

/// Points of a part across a dimension.
double face(std::vector<std::int64_t> const& local, std::size_t dimension) {
  double points = 1;
  for (std::size_t other = 0; other < local.size(); ++other) {
    points *= other == dimension ? 1.0 : static_cast<double>(local[other]);
  }
  return points;
}

HaloMessage message_of(double points, HaloStride stride) {
  // The memory between the first float and the last is addressed by MPI as an int of floats.
  double const spread = stride.block == 0 ? 1.0 : double(stride.stride) / stride.block;
  if (points * std::max(1.0, spread) > std::numeric_limits<int>::max() / 2.0) {
    throw Error(
        ErrorCode::unsupported,
        "expected messages of at most 2^30 floats, gaps included, got more; use smaller factors"
    );
  }
  auto const floats = static_cast<int>(points);
  if (stride.block == 0) {
    return {.num_blocks = 1, .block = floats, .stride = floats};
  }
  return {
      .num_blocks = ceil_div(floats, stride.block), .block = stride.block, .stride = stride.stride
  };
}

}  // namespace

std::size_t HaloMessage::reach() const noexcept {
  return static_cast<std::size_t>(num_blocks - 1) * static_cast<std::size_t>(stride) +
         static_cast<std::size_t>(block);
}

HaloGeometry HaloGeometry::of(HaloGroup const& group, int factor, std::span<int const> dims) {
  double const num_ranks = std::accumulate(dims.begin(), dims.end(), 1.0, std::multiplies<>());
  double const stretch = factor * std::pow(num_ranks, 1.0 / group.num_dimensions());
  HaloGeometry geometry;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    std::int64_t const local = local_points(group.grid[d] * stretch, dims[d]);
    geometry.local.push_back(local);
    geometry.total.push_back(local * dims[d]);
  }
  for (std::size_t d = 0; d < dims.size(); ++d) {
    geometry.messages.push_back(message_of(face(geometry.local, d), group.strides[d]));
  }
  return geometry;
}

std::size_t HaloGeometry::offset(std::size_t dimension, std::size_t side) const noexcept {
  std::size_t offset = 0;
  for (std::size_t d = 0; d < dimension; ++d) {
    offset += 2 * messages[d].reach();
  }
  return side == 0 ? offset : offset + messages[dimension].reach();
}

std::int64_t HaloGeometry::bytes() const noexcept {
  return std::accumulate(
      messages.begin(),
      messages.end(),
      std::int64_t{0},
      [](std::int64_t sum, HaloMessage const& message) { return sum + 2 * message.bytes(); }
  );
}

}  // namespace espalier::measure
