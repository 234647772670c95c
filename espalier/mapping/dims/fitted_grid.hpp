// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "espalier/mapping/dims/cartesian_grid.hpp"
#include "espalier/mapping/dims/dims.hpp"
#include "espalier/mapping/dims/stencil.hpp"
#include "espalier/mapping/orders/rank_vector.hpp"
#include "espalier/mapping/places.hpp"

namespace espalier::mapping {

/// A grid that is wanted, with extents still free.
struct GridWish {
  std::vector<int> dims;          ///< 0: free
  std::vector<double> weights{};  ///< of each dimension, as weighted_dims(); empty: equal
  bool is_joint = false;          ///< joint_dims() instead of multi_level_dims()
  /// For joint_dims(), of the levels that split something, the ranks of an innermost group last;
  /// the rest as the places have them, and where they say nothing Places::inner_cost of the level
  /// outside.
  std::vector<double> costs{};
};

/// Parts of each level in a part of the level outside, the ranks of an innermost group last; levels
/// that split nothing are left out, {1} if there is one rank. None if parts of a level differ.
[[nodiscard]] std::optional<std::vector<int>> equal_parts(Places const& places);

/// The places of the first ranks.
[[nodiscard]] Places first_places(Places const& places, int num_ranks);

/// Extents for ranks at these places, level by level where parts are equal.
struct FittedDims {
  std::vector<int> dims;
  MultiLevelDims dims_ml{};  ///< empty where parts of a level differ: then as weighted_dims()
};

/// @throws Error argument as weighted_dims() and joint_dims().
[[nodiscard]] FittedDims fit_dims(Places const& places, GridWish const& wish);

/// The order that belongs to dims_ml: each part of the hardware is a block of the grid.
[[nodiscard]] RankVector lay_levels(MultiLevelDims const& dims_ml, Places const& places);

/// Nearest neighbours with what weights say of messages along each dimension: a face in a direction
/// is dims[i] * weights[i], but for a factor. Dimensions of weight 0 have no messages, unless all
/// are.
[[nodiscard]] Stencil weighted_stencil(std::span<int const> dims, std::span<double const> weights);

}  // namespace espalier::mapping
