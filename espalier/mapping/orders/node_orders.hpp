// SPDX-License-Identifier: Apache-2.0

/// @file
/// Rank vectors that undo any placement of ranks on nodes and make one of the usual ones of it.
/// Nodes come in the order of their first ranks, the ranks of a node in ascending order; nodes
/// that are used up are passed over.
///
///     node of new rank, three nodes with two ranks each
///     by_node       0 0 1 1 2 2      SMP, block
///     round_robin   0 1 2 0 1 2      cyclic
///     folded        0 1 2 2 1 0      every other turn runs backwards

#pragma once

#include <span>

#include "espalier/mapping/orders/rank_vector.hpp"

namespace espalier::mapping {

/// @param node_of_rank any number for each node; at least one rank, or Error argument.
[[nodiscard]] RankVector by_node(std::span<int const> node_of_rank);
[[nodiscard]] RankVector round_robin(std::span<int const> node_of_rank);
[[nodiscard]] RankVector folded(std::span<int const> node_of_rank);

}  // namespace espalier::mapping
