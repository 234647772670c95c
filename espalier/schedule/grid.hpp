// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <vector>

#include "espalier/schedule/program.hpp"

namespace espalier::schedule {

/// A Cartesian process grid as MPI_Cart_create numbers it: the last dimension runs fastest.
class Grid {
public:
  /// @throws Error argument unless there is a dimension and all sizes are at least 1.
  explicit Grid(std::vector<int> sizes);

  [[nodiscard]] int num_dimensions() const noexcept { return static_cast<int>(sizes_.size()); }

  [[nodiscard]] int num_ranks() const noexcept;

  [[nodiscard]] int size(int dimension) const noexcept {
    return sizes_[static_cast<std::size_t>(dimension)];
  }

  [[nodiscard]] int coordinate(int rank, int dimension) const noexcept;
  /// The rank at `coordinate` on the line through `rank` along a dimension.
  [[nodiscard]] int rank_on_line(int rank, int dimension, int coordinate) const noexcept;

private:
  [[nodiscard]] int stride(int dimension) const noexcept;

  std::vector<int> sizes_;
};

/// The program of a collective on one line, for a communicator of the whole grid: peers become
/// ranks of the grid, everything else stays as the line counts it.
/// @param program of the line's rank coordinate(rank, dimension).
[[nodiscard]] RankProgram onto_line(RankProgram program, Grid const& grid, int rank, int dimension);

}  // namespace espalier::schedule
