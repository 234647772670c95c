// SPDX-License-Identifier: Apache-2.0

/// @file
/// The parts of ranks: how large they are, and where they lie.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "espalier/exec/memory/layout.hpp"
#include "espalier/schedule/collective.hpp"

namespace espalier::exec {

/// Counts and displacements of one kind, in elements.
struct Shape {
  std::string name;
  std::vector<int> counts;
  std::vector<int> displacements;

  [[nodiscard]] bool is_equal() const {
    return std::ranges::all_of(counts, [&](int count) { return count == counts.front(); });
  }
};

/// Parts in the order of ranks, with a gap behind each.
Shape packed(std::string name, std::vector<int> counts, int gap);
/// The same parts in the reverse order, with gaps of one element.
Shape reversed(Shape shape);
/// Shapes worth trying for p ranks.
std::vector<Shape> shapes(int p);

/// Parts of p ranks, each cut into as many pieces as the program wants.
struct Parts {
  Layout all;
  Layout own;
  schedule::BlockRun own_run;
};

Parts parts(
    std::vector<int> counts,
    std::vector<int> const& displacements,
    int rank,
    int num_blocks,
    std::int64_t extent_bytes
);

}  // namespace espalier::exec
