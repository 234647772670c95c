// SPDX-License-Identifier: Apache-2.0

/// @file
/// Flat gather: every rank sends its part to the root itself.
///
///     sent, p = 4     rank 0   rank 1   rank 2   rank 3
///     round 0         -        0:1      -        -
///     round 1         -        -        0:2      -
///     round 2         -        -        -        0:3
///
/// No part moves twice and nobody needs scratch, but all messages meet at the root.
///
/// Rounds  p - 1.
/// Bytes   m (p - 1) / p received by the root, m = bytes of all parts.
/// Valid   p >= 1; any root; parts of any sizes.
/// Source  [pjesivac2007], "linear".

#include <algorithm>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/bcast/tree_bcast.hpp"
#include "espalier/algorithms/gather/tree_gather.hpp"
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
  pattern::TreeNode const node = node_of(request, relative_rank(request, rank));
  return tree_gather(request, rank, node, num_rounds(request));
}

Facts facts(Request const& request) {
  pattern::TreeNode const root = node_of(request, 0);
  return {
      .rounds = num_rounds(request),
      .messages = std::min(request.num_ranks - 1, 1),
      .blocks = largest_subtree(root),
      .scratch = subtree_scratch(root),
      .volume = request.num_ranks - 1,
  };
}

}  // namespace

extern Algorithm const gather_flat{
    .collective = Collective::gather,
    .name = "flat",
    .summary = "every rank sends its part to the root itself",
    .source = "pjesivac2007",
    .generate = generate,
    .facts = facts,
};

}  // namespace espalier::algorithms
