// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

namespace espalier::algorithms {

/// Ranks begin .. begin + size - 1.
struct RankRange {
  int begin = 0;
  int size = 0;

  [[nodiscard]] constexpr int end() const noexcept { return begin + size; }

  [[nodiscard]] constexpr bool contains(int rank) const noexcept {
    return rank >= begin && rank < end();
  }

  friend bool operator==(RankRange const&, RankRange const&) = default;
};

/// A run cut into rows of consecutive ranks: nearly equal ones or ones of given sizes.
class Rows {
public:
  /// Sizes differ by at most one, the larger rows come first.
  /// @param num_rows at least one, and no more than ranks.
  Rows(RankRange whole, int num_rows) noexcept
      : whole_(whole), num_rows_(num_rows), smallest_(whole.size / num_rows),
        num_larger_(whole.size % num_rows) {}

  /// @param sizes of the rows, at least 1 each; their sum is the size of the run.
  Rows(RankRange whole, std::vector<int> const& sizes);

  [[nodiscard]] RankRange whole() const noexcept { return whole_; }

  [[nodiscard]] int num_rows() const noexcept { return num_rows_; }

  [[nodiscard]] int smallest() const noexcept { return smallest_; }

  [[nodiscard]] int largest() const noexcept {
    return ends_.empty() ? smallest_ + (num_larger_ > 0 ? 1 : 0) : largest_;
  }

  [[nodiscard]] bool are_equal() const noexcept { return smallest() == largest(); }

  [[nodiscard]] RankRange row(int index) const noexcept;
  /// Index of the row that a rank of the run is in.
  [[nodiscard]] int row_of(int rank) const noexcept;
  /// The rank of a row that stands where `rank` stands in its own, or the last if the row is
  /// shorter.
  [[nodiscard]] int counterpart(int rank, int index) const noexcept;

private:
  RankRange whole_;
  int num_rows_;
  int smallest_;
  int num_larger_ = 0;
  int largest_ = 0;        // if sizes are given
  std::vector<int> ends_;  // the same: where rows end, counted from the begin of the run
};

}  // namespace espalier::algorithms
