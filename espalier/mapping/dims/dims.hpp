// SPDX-License-Identifier: Apache-2.0

/// @file
/// Factorisations of a number of processes into the extents of a grid. All are exact, and all break
/// ties the same way on every rank.

#pragma once

#include <span>
#include <vector>

namespace espalier::mapping {

/// As MPI_Dims_create promises: entries above 0 stay, the others get factors as close to each other
/// as possible, in non-increasing order: first the least difference between the largest and the
/// smallest, then the least sum, then the lexicographically greatest.
/// @throws Error argument unless num_ranks >= 1, entries are >= 0, and the product of the fixed
/// ones
///   divides num_ranks (is num_ranks if none is free).
[[nodiscard]] std::vector<int> balanced_dims(int num_ranks, std::vector<int> dims);

/// Least sum of dims[i] * weights[i] [niethammer2019]; weights are halo width * cost per element /
/// grid points, of which a common factor does not matter. Ties: the least difference between
/// largest and smallest entry, then the lexicographically greatest.
/// @param weights at least 0, one for each entry of dims.
/// @throws Error argument as balanced_dims(), and for weights that are negative or not finite.
[[nodiscard]] std::vector<int>
weighted_dims(int num_ranks, std::span<double const> weights, std::vector<int> dims);

/// dims_ml[dimension][level], outermost level first: MPIX_Dims_ml_create. The extent of a dimension
/// is the product over its levels.
using MultiLevelDims = std::vector<std::vector<int>>;

[[nodiscard]] std::vector<int> extents(MultiLevelDims const& dims_ml);

/// Level by level from outside, each as weighted_dims(): inside, sub-domains have become smaller,
/// so the weight of a dimension is multiplied by the parts it was cut into.
/// @param sizes parts of each level, outermost first.
/// @param dims 0, or the extent that the product over the levels must have; empty: all 0. A level
///   takes the best that the levels inside can complete.
/// @throws Error argument as weighted_dims(), and unless there is a level and a dimension, sizes
/// are
///   >= 1 and their product is an int; joint_dims() too.
[[nodiscard]] MultiLevelDims multi_level_dims(
    std::span<int const> sizes, std::span<double const> weights, std::span<int const> dims = {}
);

/// All levels at once: the least sum over levels of cost * (what one part of the level sends),
/// which greedy choices from outside can miss.
/// @param costs of a unit of data at each level, outermost first.
[[nodiscard]] MultiLevelDims joint_dims(
    std::span<int const> sizes,
    std::span<double const> costs,
    std::span<double const> weights,
    std::span<int const> dims = {}
);

/// What joint_dims() minimises, for any choice.
[[nodiscard]] double joint_cost(
    MultiLevelDims const& dims_ml, std::span<double const> costs, std::span<double const> weights
);

/// The rank in the hardware (nodes outermost, as multi_level_dims() has them) at each position of
/// the grid: position = mixed radix over levels per dimension, outer digit slowest.
[[nodiscard]] std::vector<int> multi_level_order(MultiLevelDims const& dims_ml);

}  // namespace espalier::mapping
