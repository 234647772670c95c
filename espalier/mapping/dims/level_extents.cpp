// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/dims/level_extents.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "espalier/base/error.hpp"

namespace espalier::mapping {
namespace {

std::vector<std::int64_t> products_inside(std::vector<int> const& sizes) {
  std::vector<std::int64_t> inside(sizes.size(), 1);
  std::int64_t product = 1;
  for (std::size_t level = sizes.size(); level-- > 0;) {
    inside[level] = product;
    if (sizes[level] < 1) {
      throw Error(
          ErrorCode::argument,
          "expected sizes of levels >= 1, got " + std::to_string(sizes[level]) + " at level " +
              std::to_string(level)
      );
    }
    product *= sizes[level];
    if (product > std::numeric_limits<int>::max()) {
      throw Error(ErrorCode::argument, "expected sizes of levels whose product is an int");
    }
  }
  return inside;
}

}  // namespace

LevelExtents::LevelExtents(
    std::span<int const> sizes, std::span<int const> dims, std::size_t num_dimensions
)
    : sizes_(sizes.begin(), sizes.end()), inside_(products_inside(sizes_)),
      left_(dims.begin(), dims.end()) {
  if (sizes.empty() || num_dimensions == 0) {
    throw Error(ErrorCode::argument, "expected at least one level and one dimension");
  }
  if (dims.empty()) {
    left_.assign(num_dimensions, 0);
  }
  std::int64_t rest = inside_.front() * sizes_.front();
  std::int64_t const num_ranks = rest;
  bool fits = left_.size() == num_dimensions;
  for (int const extent : left_) {
    has_free_ = has_free_ || extent == 0;
    fits = fits && extent >= 0 && (extent == 0 || rest % extent == 0);
    rest /= fits ? std::max(extent, 1) : 1;
  }
  if (!fits || (!has_free_ && rest != 1)) {
    throw Error(
        ErrorCode::argument,
        "expected dims >= 0, one for each of " + std::to_string(num_dimensions) +
            " dimensions, whose product " + (has_free_ ? "divides " : "is ") +
            std::to_string(num_ranks)
    );
  }
}

bool LevelExtents::can_complete(int level, std::span<int const> parts) const noexcept {
  std::int64_t rest = inside_[static_cast<std::size_t>(level)];
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (left_[i] > 0) {
      int const wanted = left_[i] / parts[i];
      if (rest % wanted != 0) {
        return false;
      }
      rest /= wanted;
    }
  }
  return has_free_ || rest == 1;
}

void LevelExtents::take(std::span<int const> parts) noexcept {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    left_[i] /= parts[i];
  }
}

void LevelExtents::give_back(std::span<int const> parts) noexcept {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    left_[i] *= parts[i];
  }
}

}  // namespace espalier::mapping
