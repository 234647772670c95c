// SPDX-License-Identifier: Apache-2.0

/// @file
/// Nodecart: blocks that divide the grid, inside them blocks for packages, and so on. On every
/// level the block that keeps most weight of the stencil inside.
///
///     element of the walk at each position, 4 x 4, nodes of 8 with packages of 2
///      0  2 |  8 10
///      1  3 |  9 11
///      4  6 | 12 14
///      5  7 | 13 15
///
/// Where blocks of packages fit a node badly, it is cut as by hyperplane; up to 10^5 positions both
/// are tried. Counts messages one by one: diagonal ones, and those round the end of a block that is
/// as long as a periodic grid.
///
/// Valid   nodes of equal size; levels inside count as long as they are equal too.
/// Source  [gropp2019]; the levels inside and the stencil are ours.

#include <algorithm>
#include <utility>
#include <vector>

#include "espalier/mapping/walk.hpp"
#include "espalier/mapping/walks/bisection.hpp"
#include "espalier/mapping/walks/blocks.hpp"
#include "espalier/mapping/walks/choice.hpp"
#include "espalier/mapping/walks/crossings.hpp"
#include "espalier/mapping/walks/sizes.hpp"

namespace espalier::mapping {
namespace {

Walk nodecart(Problem const& problem) {
  std::vector<Block> nested;
  for (int const size : even_sizes(problem.places)) {
    Block const& outer = nested.empty() ? problem.grid.extents() : nested.back();
    std::vector<Block> const blocks = blocks_inside(outer, size);
    nested.push_back(*std::ranges::max_element(blocks, {}, [&](Block const& block) {
      return inner_weight(problem, block);
    }));
  }
  std::vector<Variant> variants{{.make = [&] { return walk_blocks(problem.grid, nested); }}};
  if (nested.size() > 1) {
    variants.push_back({.make = [&] {
      return Bisection(problem, {}).inside(walk_blocks(problem.grid, {nested.front()}));
    }});
  }
  return best_of(problem, std::move(variants));
}

}  // namespace

extern WalkAlgorithm const nodecart_walk{
    .name = "nodecart",
    .summary = "blocks inside blocks that keep most messages inside, level by level",
    .source = "gropp2019",
    .refuses = refuses_uneven,
    .walk = nodecart,
};

}  // namespace espalier::mapping
