// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace espalier::algorithms {

/// Ranks begin .. begin + size - 1.
struct Run {
  int begin = 0;
  int size = 0;

  [[nodiscard]] constexpr int end() const noexcept { return begin + size; }
};

/// A run cut into nearly equal rows of consecutive ranks: sizes differ by at most one, the larger
/// rows come first. At least one row, and no more than ranks.
class Rows {
public:
  constexpr Rows(Run whole, int num_rows) noexcept
      : whole_(whole), num_rows_(num_rows), smallest_(whole.size / num_rows),
        num_larger_(whole.size % num_rows) {}

  [[nodiscard]] constexpr Run whole() const noexcept { return whole_; }

  [[nodiscard]] constexpr int num_rows() const noexcept { return num_rows_; }

  [[nodiscard]] constexpr int smallest() const noexcept { return smallest_; }

  [[nodiscard]] constexpr bool are_equal() const noexcept { return num_larger_ == 0; }

  [[nodiscard]] constexpr Run row(int index) const noexcept {
    int const num_larger_before = index < num_larger_ ? index : num_larger_;
    return {
        .begin = whole_.begin + index * smallest_ + num_larger_before,
        .size = smallest_ + (index < num_larger_ ? 1 : 0),
    };
  }

  /// Index of the row that a rank of the run is in.
  [[nodiscard]] constexpr int row_of(int rank) const noexcept {
    int const place = rank - whole_.begin;
    int const num_in_larger = num_larger_ * (smallest_ + 1);
    return place < num_in_larger ? place / (smallest_ + 1)
                                 : num_larger_ + (place - num_in_larger) / smallest_;
  }

  /// The rank of a row that stands where `rank` stands in its own, or the last if the row is
  /// shorter.
  [[nodiscard]] constexpr int counterpart(int rank, int index) const noexcept {
    int const place = rank - row(row_of(rank)).begin;
    Run const other = row(index);
    return other.begin + (place < other.size ? place : other.size - 1);
  }

private:
  Run whole_;
  int num_rows_;
  int smallest_;
  int num_larger_;
};

}  // namespace espalier::algorithms
