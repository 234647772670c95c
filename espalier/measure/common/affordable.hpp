// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace espalier::measure {

/// Who can be timed in a given time, if everybody is timed equally often. Whoever took longest in a
/// first call is left out first.
struct Affordable {
  double seconds = 0.0;  ///< that all calls may take
  int calls_of_each = 1;
  std::size_t num_kept = 1;  ///< the first ones are never left out

  /// A first call may be slow by chance, so nobody is left out who took less than this many times
  /// as long as the fastest.
  static constexpr double close = 1.5;

  /// @param first_seconds  of the first call of each
  /// @return positions, ascending.
  [[nodiscard]] std::vector<std::size_t> of(std::span<double const> first_seconds) const;
};

}  // namespace espalier::measure
