// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace espalier::mapping {

/// Extents that the product over levels must have, while levels are factorised from outside.
class LevelExtents {
public:
  /// @param dims 0 for a free extent; empty: all are free.
  /// @throws Error argument unless there is a level and a dimension, sizes are >= 1 and their
  /// product
  ///   is an int, entries of dims are >= 0, one for each dimension, and the product of the fixed
  ///   ones divides that of the sizes (is it if none is free).
  LevelExtents(std::span<int const> sizes, std::span<int const> dims, std::size_t num_dimensions);

  [[nodiscard]] int num_levels() const noexcept { return static_cast<int>(sizes_.size()); }

  [[nodiscard]] int size(int level) const noexcept {
    return sizes_[static_cast<std::size_t>(level)];
  }

  [[nodiscard]] bool is_fixed(std::size_t dimension) const noexcept { return left_[dimension] > 0; }

  /// What is left of a fixed extent, 0 of a free one.
  [[nodiscard]] int left(std::size_t dimension) const noexcept { return left_[dimension]; }

  /// Whether the next level may cut a dimension into so many parts.
  [[nodiscard]] bool accepts(std::size_t dimension, int parts) const noexcept {
    return left_[dimension] == 0 || left_[dimension] % parts == 0;
  }

  /// Whether the levels inside can make up what a level leaves. Every prime goes its own way, and
  /// any of a level may go to any dimension, so that only the products count.
  [[nodiscard]] bool can_complete(int level, std::span<int const> parts) const noexcept;
  /// Goes one level in.
  void take(std::span<int const> parts) noexcept;
  /// The inverse.
  void give_back(std::span<int const> parts) noexcept;

private:
  std::vector<int> sizes_;
  std::vector<std::int64_t> inside_;  ///< product of the sizes of the levels inside
  std::vector<int> left_;
  bool has_free_ = false;
};

}  // namespace espalier::mapping
