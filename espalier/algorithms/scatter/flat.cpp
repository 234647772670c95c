// SPDX-License-Identifier: Apache-2.0

/// @file
/// Flat scatter: the root sends every other rank its part itself, the last rank first.
///
///     sent, p = 4     rank 0   rank 1   rank 2   rank 3
///     round 0         3:3      -        -        -
///     round 1         2:2      -        -        -
///     round 2         1:1      -        -        -
///
/// No part moves twice and nobody needs scratch, but the root starts every message.
///
/// Rounds  p - 1.
/// Bytes   m (p - 1) / p sent by the root, m = bytes of all parts.
/// Valid   p >= 1; any root; parts of any sizes.
/// Source  [pjesivac2007], "linear".

#include <cstdint>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/bcast/tree_bcast.hpp"
#include "espalier/algorithms/scatter/tree_scatter.hpp"
#include "espalier/pattern/tree.hpp"

namespace espalier::algorithms {
namespace {

pattern::TreeNode node_of(Request const& request, int x) {
  return pattern::contiguous_k_ary_node(request.num_ranks, request.num_ranks, x);
}

int num_rounds(Request const& request) {
  return request.num_ranks - 1;
}

schedule::RankProgram generate(Request const& request, int rank) {
  return tree_scatter(request, rank, node_of(request, relative_rank(request, rank)));
}

Facts facts(Request const& request) {
  pattern::TreeNode const root = node_of(request, 0);
  return {
      .rounds = num_rounds(request),
      .messages = static_cast<std::int64_t>(root.children.size()),
      .blocks = request.num_ranks - 1,
      .scratch = subtree_scratch(root),
      .volume = request.num_ranks - 1,
  };
}

}  // namespace

extern Algorithm const scatter_flat{
    .collective = Collective::scatter,
    .name = "flat",
    .summary = "the root sends every other rank its part itself",
    .source = "pjesivac2007",
    .generate = generate,
    .facts = facts,
};

}  // namespace espalier::algorithms
