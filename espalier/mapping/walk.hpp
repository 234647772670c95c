// SPDX-License-Identifier: Apache-2.0

/// @file
/// Walks: all positions of a grid in an order in which those that follow each other are near each
/// other. The ranks of the hardware, in their order, are laid along the walk, so that every node
/// gets a piece of it: a walk is a mapping onto nodes of any sizes.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/mapping/dims/cartesian_grid.hpp"
#include "espalier/mapping/dims/stencil.hpp"
#include "espalier/mapping/orders/rank_vector.hpp"
#include "espalier/mapping/places.hpp"

namespace espalier::mapping {

/// Each position of a grid once.
using Walk = std::vector<int>;

/// What a mapping is found for; the parts must last as long as the object.
struct Problem {
  CartesianGrid const& grid;
  Stencil const& stencil;
  Places const& places;
};

/// @throws Error argument unless there are as many positions as ranks, and as many dimensions of
/// the
///   stencil as of the grid.
void check(Problem const& problem);

/// One algorithm that makes walks; a file each in `mapping/walks/`, a line in the list of its
/// CMakeLists.txt.
struct WalkAlgorithm {
  std::string_view name;
  std::string_view summary;  ///< one sentence, no full stop
  std::string_view source;   ///< keys of docs/references.bib, separated by commas
  /// Empty if the algorithm can serve, otherwise what it expects and found: "expected nodes of
  /// equal size, got 3 and 4".
  std::string (*refuses)(Problem const&) = [](Problem const&) { return std::string(); };
  Walk (*walk)(Problem const&) = nullptr;
};

/// In the order in which they are tried; equal scores are decided by it.
[[nodiscard]] std::span<WalkAlgorithm const* const> walk_algorithms() noexcept;
/// @throws Error argument with the names there are.
[[nodiscard]] WalkAlgorithm const& find_walk_algorithm(std::string_view name);

/// Element i of places.hardware_order() comes to position walk[i].
/// @throws Error argument unless the walk has as many positions as there are ranks.
[[nodiscard]] RankVector lay(Walk const& walk, Places const& places);

}  // namespace espalier::mapping
