// SPDX-License-Identifier: Apache-2.0

/// @file
/// Hyperplane: the grid is cut by a plane with whole nodes on either side, the parts are cut again,
/// and so on down to single nodes, and inside them down to single packages.
///
///     node of each position
///     4 x 6, nodes of 4      4 x 6, nodes of 3, 5, 8, 8
///     0 0 | 1 1 | 2 2        0 0 | 2 2 2 2
///     0 0 | 1 1 | 2 2        0 1 | 2 2 2 2
///     ----+-----+----            +--------
///     3 3 | 4 4 | 5 5        1 1 | 3 3 3 3
///     3 3 | 4 4 | 5 5        1 1 | 3 3 3 3
///
/// Where no plane has whole nodes on either side, or only a bad one has, the cut has a step in it:
/// some of a plane's cells are on one side, the others on the other.
///
/// Taken is the cut with the least sum of what crosses its plane, what crosses its step, and what
/// has to be cut inside both parts if all nodes get the blocks with the least surface that fit into
/// them; ties the most even one. How much these count differs from grid to grid: several rules are
/// tried. The published one looks at planes without steps and at what crosses them.
///
/// Valid   always.
/// Source  [kirchbach2020]; steps, the second term, and levels inside nodes are ours.

#include <initializer_list>
#include <utility>
#include <vector>

#include "espalier/mapping/walk.hpp"
#include "espalier/mapping/walks/bisection.hpp"
#include "espalier/mapping/walks/choice.hpp"

namespace espalier::mapping {
namespace {

Walk hyperplane(Problem const& problem) {
  constexpr double never = 1000;  // unless all have steps
  std::vector<Variant> variants;
  for (Bisection::Rule const rule : std::initializer_list<Bisection::Rule>{
           {.step = 1, .inside = 1},
           {.step = 1, .inside = 1.2},
           {.step = 4, .inside = 1},
           {.step = never, .inside = 1.2},
           {.step = never, .inside = 0},
       }) {
    variants.push_back({.make = [&problem, rule] { return Bisection(problem, rule).run(); }});
  }
  return best_of(problem, std::move(variants));
}

}  // namespace

extern WalkAlgorithm const hyperplane_walk{
    .name = "hyperplane",
    .summary = "cut by planes with whole nodes on either side, again and again",
    .source = "kirchbach2020",
    .walk = hyperplane,
};

}  // namespace espalier::mapping
