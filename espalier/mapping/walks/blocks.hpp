// SPDX-License-Identifier: Apache-2.0

/// @file
/// Blocks of equal shape that fill a grid, and blocks inside blocks.

#pragma once

#include <vector>

#include "espalier/mapping/walk.hpp"

namespace espalier::mapping {

/// Extents of a block.
using Block = std::vector<int>;

/// Blocks of so many cells whose extents divide those of `outer`, the last dimension ascending
/// slowest. There is one whenever the size divides the number of cells of `outer`.
[[nodiscard]] std::vector<Block> blocks_inside(Block const& outer, int size);

/// Block after block and, inside, block after block of the next shape; the last dimension fastest.
/// @param blocks outermost first; each divides the one before, the first the grid.
[[nodiscard]] Walk walk_blocks(CartesianGrid const& grid, std::vector<Block> const& blocks);

}  // namespace espalier::mapping
