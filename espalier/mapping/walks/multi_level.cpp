// SPDX-License-Identifier: Apache-2.0

/// @file
/// Multi-level blocks, all levels chosen together: a block for nodes that is a little worse can be
/// worth it if packages fit into it better.
///
///     element of the walk at each position, 4 x 4, nodes of 8 with packages of 4
///      0  1 |  8  9
///      2  3 | 10 11
///      4  5 | 12 13
///      6  7 | 14 15
///
/// Least sum over levels of cost * messages between blocks of the level inside one of the level
/// outside; of more than 64 blocks in one of the level outside, those that keep most inside.
///
/// Valid   at least two levels with groups of equal size.
/// Source  [niethammer2019], with the search over all levels and the stencil ours.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>

#include "espalier/mapping/walk.hpp"
#include "espalier/mapping/walks/blocks.hpp"
#include "espalier/mapping/walks/crossings.hpp"
#include "espalier/mapping/walks/sizes.hpp"

namespace espalier::mapping {
namespace {

/// Blocks tried in one of the level outside.
constexpr std::size_t most_blocks = 64;

/// Blocks of all levels, and what they cost per cell of the grid; costs of messages that never
/// leave the outermost level do not count.
struct Nested {
  std::vector<Block> blocks;  ///< innermost first
  double cost = std::numeric_limits<double>::infinity();
};

class Search {
public:
  explicit Search(Problem const& problem) : problem_(problem), sizes_(even_sizes(problem.places)) {
    for (int const size : sizes_) {
      costs_.push_back(cost_of(size));
    }
  }

  Nested run() const { return best(problem_.grid.extents(), 0); }

private:
  [[nodiscard]] double cost_of(int size) const {
    int level = 0;
    while (problem_.places.sizes(level).front() != size) {
      ++level;
    }
    return problem_.places.groups(level).cost;
  }

  [[nodiscard]] double kept_per_cell(Block const& block) const {
    double cells = 1;
    for (int const side : block) {
      cells *= side;
    }
    return inner_weight(problem_, block) / cells;
  }

  [[nodiscard]] std::vector<Block> candidates(Block const& outer, int size) const {
    std::vector<Block> blocks = blocks_inside(outer, size);
    if (blocks.size() > most_blocks) {
      std::ranges::stable_sort(blocks, std::ranges::greater{}, [&](Block const& block) {
        return inner_weight(problem_, block);
      });
      blocks.resize(most_blocks);
    }
    return blocks;
  }

  [[nodiscard]] Nested best(Block const& outer, std::size_t level) const {
    if (level == sizes_.size()) {
      return {.blocks = {}, .cost = 0};
    }
    Nested least;
    double const kept = kept_per_cell(outer);
    for (Block const& block : candidates(outer, sizes_[level])) {
      double const here = costs_[level] * (kept - kept_per_cell(block));
      if (here >= least.cost) {
        continue;
      }
      Nested inner = best(block, level + 1);
      if (here + inner.cost < least.cost) {
        least = {.blocks = std::move(inner.blocks), .cost = here + inner.cost};
        least.blocks.push_back(block);
      }
    }
    return least;
  }

  Problem const& problem_;
  std::vector<int> sizes_;
  std::vector<double> costs_;
};

std::string refuses(Problem const& problem) {
  std::size_t const num_levels = even_sizes(problem.places).size();
  std::string const uneven = refuses_uneven(problem);
  return uneven.empty() && num_levels < 2
             ? "expected two levels with groups of equal size, got " + std::to_string(num_levels)
             : uneven;
}

Walk multi_level(Problem const& problem) {
  Nested nested = Search(problem).run();
  std::ranges::reverse(nested.blocks);
  return walk_blocks(problem.grid, nested.blocks);
}

}  // namespace

extern WalkAlgorithm const multi_level_walk{
    .name = "multi_level",
    .summary = "blocks inside blocks, all levels chosen together by their costs",
    .source = "niethammer2019",
    .refuses = refuses,
    .walk = multi_level,
};

}  // namespace espalier::mapping
