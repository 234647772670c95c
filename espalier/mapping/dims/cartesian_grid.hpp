// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace espalier::mapping {

/// A Cartesian process grid as MPI_Cart_create numbers it: the last dimension runs fastest.
class CartesianGrid {
public:
  /// Without `is_periodic` no dimension is.
  /// @throws Error argument unless there is a dimension, all extents are at least 1, their product
  ///   is an int, and `is_periodic` is empty or has an entry for each dimension.
  explicit CartesianGrid(std::vector<int> extents, std::vector<bool> is_periodic = {});

  [[nodiscard]] int num_dimensions() const noexcept { return static_cast<int>(extents_.size()); }

  [[nodiscard]] int num_positions() const noexcept { return num_positions_; }

  [[nodiscard]] int extent(int dimension) const noexcept {
    return extents_[static_cast<std::size_t>(dimension)];
  }

  [[nodiscard]] std::vector<int> const& extents() const noexcept { return extents_; }

  [[nodiscard]] bool is_periodic(int dimension) const noexcept {
    return is_periodic_[static_cast<std::size_t>(dimension)];
  }

  [[nodiscard]] int coordinate(int position, int dimension) const noexcept {
    return position / stride(dimension) % extent(dimension);
  }

  /// How far apart in the numbering neighbours along a dimension are.
  [[nodiscard]] int stride(int dimension) const noexcept {
    return strides_[static_cast<std::size_t>(dimension)];
  }

  [[nodiscard]] int position(std::span<int const> coordinates) const noexcept;
  /// The position `offset` away, round the end of periodic dimensions; -1 outside the grid.
  [[nodiscard]] int shifted(int position, std::span<int const> offset) const noexcept;

  friend bool operator==(CartesianGrid const&, CartesianGrid const&) = default;

private:
  std::vector<int> extents_;
  std::vector<bool> is_periodic_;
  std::vector<int> strides_;
  int num_positions_ = 1;
};

}  // namespace espalier::mapping
