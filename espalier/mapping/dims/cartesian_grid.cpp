// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/dims/cartesian_grid.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::mapping {
namespace {

void check(std::vector<int> const& extents) {
  if (extents.empty()) {
    throw Error(ErrorCode::argument, "expected a grid of at least one dimension, got none");
  }
  std::int64_t product = 1;
  for (int const extent : extents) {
    if (extent < 1) {
      throw Error(
          ErrorCode::argument,
          "expected extents of at least 1 of a grid, got " + joined(extents, "x")
      );
    }
    product *= extent;
    if (product > std::numeric_limits<int>::max()) {
      throw Error(
          ErrorCode::argument,
          "expected a grid of at most 2^31 - 1 positions, got " + joined(extents, "x")
      );
    }
  }
}

}  // namespace

CartesianGrid::CartesianGrid(std::vector<int> extents, std::vector<bool> is_periodic)
    : extents_(std::move(extents)), is_periodic_(std::move(is_periodic)),
      strides_(extents_.size()) {
  check(extents_);
  if (is_periodic_.empty()) {
    is_periodic_.resize(extents_.size());
  }
  if (is_periodic_.size() != extents_.size()) {
    throw Error(
        ErrorCode::argument,
        "expected for each of " + std::to_string(extents_.size()) +
            " dimensions whether it is periodic, got " + std::to_string(is_periodic_.size())
    );
  }
  for (std::size_t dimension = extents_.size(); dimension-- > 0;) {
    strides_[dimension] = num_positions_;
    num_positions_ *= extents_[dimension];
  }
}

int CartesianGrid::position(std::span<int const> coordinates) const noexcept {
  int result = 0;
  for (std::size_t dimension = 0; dimension < strides_.size(); ++dimension) {
    result += coordinates[dimension] * strides_[dimension];
  }
  return result;
}

int CartesianGrid::shifted(int position, std::span<int const> offset) const noexcept {
  int result = 0;
  for (int dimension = 0; dimension < num_dimensions(); ++dimension) {
    std::int64_t there =
        std::int64_t{coordinate(position, dimension)} + offset[static_cast<std::size_t>(dimension)];
    if (is_periodic(dimension)) {
      there = wrap(there, extent(dimension));
    } else if (there < 0 || there >= extent(dimension)) {
      return -1;
    }
    result += static_cast<int>(there) * stride(dimension);
  }
  return result;
}

}  // namespace espalier::mapping
