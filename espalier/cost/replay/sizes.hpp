// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

#include "espalier/schedule/program.hpp"

namespace espalier::cost {

/// How many bytes the blocks of a collective have: equal parts of a whole, or each its own number.
class Sizes {
public:
  /// Blocks have num_bytes / (number of output blocks) bytes each, also where that is no whole
  /// number.
  /// @param num_bytes of the whole result, as in rules (DESIGN.md, "Deciding").
  Sizes(double num_bytes) noexcept
      : num_bytes_(num_bytes) {}  // NOLINT(google-explicit-constructor)

  /// @param of_blocks bytes of each block of the whole result; pieces of a block are equal.
  /// @throws Error argument if a size is below 0, or there is none.
  explicit Sizes(std::vector<double> of_blocks);

  /// Of the whole result.
  [[nodiscard]] double total() const noexcept { return num_bytes_; }

  [[nodiscard]] bool are_equal() const noexcept { return of_blocks_.empty(); }

  /// Together.
  /// @throws Error argument unless the blocks of the program are those that have sizes, or pieces.
  [[nodiscard]] double
  of(schedule::RankProgram const& program, std::span<schedule::Slot const> slots) const;

private:
  double num_bytes_ = 0;
  std::vector<double> of_blocks_;  ///< empty: equal
};

}  // namespace espalier::cost
