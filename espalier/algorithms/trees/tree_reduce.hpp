// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/family.hpp"
#include "espalier/pattern/tree.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {

/// Reduction along a tree whose subtrees are runs of ranks: a rank combines its own contribution
/// with what its children send, in the order of their runs, and sends the result to its parent.
///
/// Each child has its own scratch block, and the next message may arrive while the last one is
/// combined. Ranks of the tree are counted from the root, so that operands keep rank order if the
/// root is 0. With the argument `in_order=1` the tree leads to rank 0, which hands the result on.
/// @param num_rounds of the tree.
[[nodiscard]] schedule::RankProgram
tree_reduce(Request const& request, int rank, pattern::Tree const& tree, int num_rounds);

/// Facts of a tree in which somebody is heard in every round, and no rank has more children than
/// the one above it.
[[nodiscard]] Facts
tree_reduce_facts(Request const& request, pattern::Tree const& tree, int num_rounds);

/// Rank order if the tree leads to rank 0.
[[nodiscard]] OperandOrder tree_reduce_order(Request const& request);

/// The argument `in_order`.
inline constexpr Parameter in_order_parameter{
    .name = "in_order",
    .type = Parameter::Type::integer,
    .fallback = "0",
    .minimum = 0,
    .maximum = 1,
    .collective = {},
    .description = "1: operands in rank order for any root, by way of rank 0",
};

/// One vector of pieces that are contributed and combined: one block, as scratch.
[[nodiscard]] inline schedule::Slot scratch_block(schedule::Builder& builder) {
  return builder.scratch(schedule::blocks(0));
}

/// Reductions along the trees of a family whose subtrees are runs of ranks.
template <TreeFamily Trees> struct TreeReduce {
  static schedule::RankProgram generate(Request const& request, int rank) {
    return tree_reduce(request, rank, tree_of(request), Trees::num_rounds(request));
  }

  static Facts facts(Request const& request) {
    return tree_reduce_facts(request, tree_of(request), Trees::num_rounds(request));
  }

  /// As many messages as the rank that hears most.
  static int segment_period(Request const& request) {
    return std::max(1, num_children_of_root<Trees>(request));
  }

private:
  /// Refers to the request.
  static pattern::Tree tree_of(Request const& request) {
    return [&request](int, int x) { return Trees::node(request, x); };
  }
};

}  // namespace espalier::algorithms
