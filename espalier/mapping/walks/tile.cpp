// SPDX-License-Identifier: Apache-2.0

/// @file
/// Tile: the ranks of a node fill a block of the grid with the least surface.
///
///     element of the walk at each position, 4 x 4, nodes of 4
///      0  1 |  4  5
///      2  3 |  6  7
///     ------+------
///      8  9 | 12 13
///     10 11 | 14 15
///
/// The block divides the grid. Its surface is the sum over dimensions of crossings * cells of the
/// face; for nearest neighbours in two dimensions that is b + k/b. Of equal ones the narrowest
/// along the last dimension is taken.
///
/// Valid   nodes of equal size.
/// Source  [karlsson2012], algorithms 5.11 and 5.12 for two dimensions.

#include <algorithm>

#include "espalier/mapping/walk.hpp"
#include "espalier/mapping/walks/blocks.hpp"
#include "espalier/mapping/walks/crossings.hpp"
#include "espalier/mapping/walks/sizes.hpp"

namespace espalier::mapping {
namespace {

Walk tile(Problem const& problem) {
  std::vector<int> const sizes = even_sizes(problem.places);
  if (sizes.empty()) {
    return walk_blocks(problem.grid, {});
  }
  std::vector<double> const weights = crossings(problem);
  std::vector<Block> const blocks = blocks_inside(problem.grid.extents(), sizes.front());
  return walk_blocks(problem.grid, {*std::ranges::min_element(blocks, {}, [&](Block const& block) {
                       std::vector<double> const sides(block.begin(), block.end());
                       return surface(sides, weights);
                     })});
}

}  // namespace

extern WalkAlgorithm const tile_walk{
    .name = "tile",
    .summary = "blocks with the least surface, one for each node",
    .source = "karlsson2012",
    .refuses = refuses_uneven,
    .walk = tile,
};

}  // namespace espalier::mapping
