// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/composed/rows.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace espalier::algorithms {

Rows::Rows(RankRange whole, std::vector<int> const& sizes)
    : whole_(whole), num_rows_(static_cast<int>(sizes.size())), smallest_(std::ranges::min(sizes)),
      largest_(std::ranges::max(sizes)), ends_(sizes.size()) {
  std::partial_sum(sizes.begin(), sizes.end(), ends_.begin());
}

RankRange Rows::row(int index) const noexcept {
  if (!ends_.empty()) {
    int const begin = index == 0 ? 0 : ends_[static_cast<std::size_t>(index) - 1];
    int const end = ends_[static_cast<std::size_t>(index)];
    return {.begin = whole_.begin + begin, .size = end - begin};
  }
  return {
      .begin = whole_.begin + index * smallest_ + std::min(index, num_larger_),
      .size = smallest_ + (index < num_larger_ ? 1 : 0),
  };
}

int Rows::row_of(int rank) const noexcept {
  int const place = rank - whole_.begin;
  if (!ends_.empty()) {
    return static_cast<int>(std::ranges::upper_bound(ends_, place) - ends_.begin());
  }
  int const num_in_larger = num_larger_ * (smallest_ + 1);
  return place < num_in_larger ? place / (smallest_ + 1)
                               : num_larger_ + (place - num_in_larger) / smallest_;
}

int Rows::counterpart(int rank, int index) const noexcept {
  int const place = rank - row(row_of(rank)).begin;
  RankRange const other = row(index);
  return other.begin + std::min(place, other.size - 1);
}

}  // namespace espalier::algorithms
