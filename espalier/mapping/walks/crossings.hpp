// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the messages of a stencil say about good pieces of a grid.

#pragma once

#include <span>
#include <vector>

#include "espalier/mapping/walk.hpp"

namespace espalier::mapping {

/// The shortest way of an offset along each dimension: round the end of periodic ones. Empty if the
/// grid has no two positions so far apart.
[[nodiscard]] std::vector<int>
shortest(CartesianGrid const& grid, Stencil::Neighbor const& neighbor);

/// For each dimension, the weight that crosses a plane across it, per cell of the plane: the sum
/// over the stencil of weight * |offset|.
[[nodiscard]] std::vector<double> crossings(Problem const& problem);

/// Weight of the messages between cells of one block that lies in the grid.
[[nodiscard]] double inner_weight(Problem const& problem, std::span<int const> block);

/// Sides, at least 1 and at most `most`, of the block of `size` cells that has the least surface:
/// in proportion to the crossings, as far as they can be.
[[nodiscard]] std::vector<double>
best_sides(double size, std::span<double const> crossings, std::span<double const> most);

/// What crosses the surface of a block with these sides, one side of each dimension: the sum over
/// dimensions of crossing * size / side.
[[nodiscard]] double surface(std::span<double const> sides, std::span<double const> crossings);

}  // namespace espalier::mapping
