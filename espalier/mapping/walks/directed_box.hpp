// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdlib>
#include <vector>

namespace espalier::mapping {

/// A box of cells that a curve enters at `corner`: along each dimension it reaches `reach` cells,
/// the corner's own included, backwards if that is negative.
struct DirectedBox {
  std::vector<int> corner;
  std::vector<int> reach;
  std::size_t along = 0;  ///< the dimension at whose other end the curve leaves

  [[nodiscard]] int extent(std::size_t side) const { return std::abs(reach[side]); }

  /// Leaves the lower or the upper half of a side of at least 2. The lower one is even if it can
  /// be: then the curve comes out where the next part begins.
  void halve(std::size_t side, bool is_upper) {
    int const half = reach[side] / 2;
    bool const is_odd = half % 2 != 0 && extent(side) > 2;
    int const lower = half + (is_odd ? direction(side) : 0);
    corner[side] += is_upper ? lower : 0;
    reach[side] = is_upper ? reach[side] - lower : lower;
  }

  /// The same cells, entered at the other end of a side.
  void turn(std::size_t side) {
    corner[side] += reach[side] - direction(side);
    reach[side] = -reach[side];
  }

private:
  [[nodiscard]] int direction(std::size_t side) const { return reach[side] < 0 ? -1 : 1; }
};

}  // namespace espalier::mapping
