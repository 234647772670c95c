// SPDX-License-Identifier: Apache-2.0

/// @file
/// What a family of trees provides, so that every collective along trees can use it:
///
///     family                                collective
///     -----------------------------------   -------------------------
///     flat, chain, binomial, k_nomial,   x  bcast, scatter, gather,
///     k_ary, postal                         reduce, barrier
///
/// A family is one file here and its arithmetic in `pattern`. A collective is one template:
/// TreeBcast, TreeScatter, TreeGather, TreeReduce, TreeBarrier. An entry of the catalog puts the
/// two together and says what is true of both: its head, its arguments and those worth trying.

#pragma once

#include <concepts>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/pattern/tree.hpp"

namespace espalier::algorithms {

template <typename Family>
concept TreeFamily = requires(Request const& request, int x) {
  /// Node x of the tree for a request, ranks counted from the root of the tree.
  { Family::node(request, x) } -> std::same_as<pattern::TreeNode>;
  { Family::num_rounds(request) } -> std::same_as<int>;
  /// Whether the root sends in every round.
  { Family::keeps_root_busy } -> std::convertible_to<bool>;
};

/// How many ranks the root serves; no rank of these families serves more.
template <TreeFamily Family> int num_children_of_root(Request const& request) {
  return Family::keeps_root_busy ? Family::num_rounds(request)
                                 : static_cast<int>(Family::node(request, 0).children.size());
}

}  // namespace espalier::algorithms
