// SPDX-License-Identifier: Apache-2.0

/// @file
/// K-d tree: the grid is halved, each half is halved, and so on down to single cells; the walk
/// visits the leaves from left to right.
///
///     element of the walk at each position, 4 x 4
///      0  1  4  5
///      2  3  6  7
///      8  9 12 13
///     10 11 14 15
///
/// Halved is the dimension with the largest extent / crossings: what no message crosses is cut down
/// first.
///
/// Valid   always.
/// Source  [kirchbach2020].

#include <cstddef>
#include <utility>
#include <vector>

#include "espalier/mapping/walk.hpp"
#include "espalier/mapping/walks/crossings.hpp"

namespace espalier::mapping {
namespace {

class Tree {
public:
  explicit Tree(Problem const& problem) : grid_(problem.grid), crossings_(crossings(problem)) {
    walk_.reserve(static_cast<std::size_t>(grid_.num_positions()));
  }

  Walk run() {
    std::vector<int> extents = grid_.extents();
    visit(0, extents);
    return std::move(walk_);
  }

private:
  /// The dimension to be halved; none of a single cell.
  [[nodiscard]] std::size_t widest(std::vector<int> const& extents) const {
    std::size_t best = extents.size();
    for (std::size_t i = 0; i < extents.size(); ++i) {
      // extent / crossings is compared without dividing by 0
      bool const is_wider =
          best == extents.size() || extents[i] * crossings_[best] > extents[best] * crossings_[i];
      if (extents[i] > 1 && is_wider) {
        best = i;
      }
    }
    return best;
  }

  void visit(int origin, std::vector<int>& extents) {
    std::size_t const dimension = widest(extents);
    if (dimension == extents.size()) {
      walk_.push_back(origin);
      return;
    }
    int const extent = extents[dimension];
    int const half = extent / 2;
    extents[dimension] = half;
    visit(origin, extents);
    extents[dimension] = extent - half;
    visit(origin + half * grid_.stride(static_cast<int>(dimension)), extents);
    extents[dimension] = extent;
  }

  CartesianGrid const& grid_;
  std::vector<double> crossings_;
  Walk walk_;
};

Walk k_d_tree(Problem const& problem) {
  return Tree(problem).run();
}

}  // namespace

extern WalkAlgorithm const k_d_tree_walk{
    .name = "k_d_tree",
    .summary = "halves of halves, down to single cells",
    .source = "kirchbach2020",
    .walk = k_d_tree,
};

}  // namespace espalier::mapping
