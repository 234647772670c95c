// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/walks/blocks.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace espalier::mapping {
namespace {

/// Sets dimensions below `dimension` in all ways.
void add_blocks(
    std::vector<Block>& blocks, Block& block, Block const& outer, std::size_t dimension, int size
) {
  if (dimension == 0) {
    if (size == 1) {
      blocks.push_back(block);
    }
    return;
  }
  int const extent = outer[dimension - 1];
  for (int side = 1; side <= std::min(size, extent); ++side) {
    if (size % side == 0 && extent % side == 0) {
      block[dimension - 1] = side;
      add_blocks(blocks, block, outer, dimension - 1, size / side);
    }
  }
}

class BlockWalk {
public:
  BlockWalk(CartesianGrid const& grid, std::vector<Block> const& blocks)
      : grid_(grid), blocks_(blocks) {
    walk_.reserve(static_cast<std::size_t>(grid.num_positions()));
  }

  Walk run() {
    visit(0, grid_.extents(), 0);
    return std::move(walk_);
  }

private:
  /// All blocks of a level inside one of the level outside, whose first cell is `origin`.
  void visit(int origin, Block const& outer, std::size_t level) {
    if (level > blocks_.size()) {
      walk_.push_back(origin);
    } else {
      visit_along(origin, outer, level, 0);
    }
  }

  void visit_along(int origin, Block const& outer, std::size_t level, std::size_t dimension) {
    if (dimension == outer.size()) {
      visit(origin, level == blocks_.size() ? outer : blocks_[level], level + 1);
      return;
    }
    int const side = level == blocks_.size() ? 1 : blocks_[level][dimension];
    int const stride = grid_.stride(static_cast<int>(dimension));
    for (int start = 0; start < outer[dimension]; start += side) {
      visit_along(origin + start * stride, outer, level, dimension + 1);
    }
  }

  CartesianGrid const& grid_;
  std::vector<Block> const& blocks_;
  Walk walk_;
};

}  // namespace

std::vector<Block> blocks_inside(Block const& outer, int size) {
  std::vector<Block> blocks;
  Block block(outer.size());
  add_blocks(blocks, block, outer, outer.size(), size);
  return blocks;
}

Walk walk_blocks(CartesianGrid const& grid, std::vector<Block> const& blocks) {
  return BlockWalk(grid, blocks).run();
}

}  // namespace espalier::mapping
