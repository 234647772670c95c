// SPDX-License-Identifier: Apache-2.0

/// @file
/// Binomial tree scatter: in every round each rank that has parts sends half of them on.
///
///     sent, p = 5     rank 0   rank 1   rank 2   rank 3   rank 4
///     round 0         4:4      -        -        -        -
///     round 1         2:23     -        -        -        -
///     round 2         1:1      -        3:3      -        -
///
/// Ranks are counted from the root. The parts of a subtree are a run that may wrap; they stand at
/// their final places on the root, so that nothing is rotated.
///
/// Rounds  ceil(log2 p).
/// Bytes   m (p - 1) / p sent by the root, m = bytes of all parts.
/// Scratch the parts of the subtree on ranks that serve others, at most those of d ranks, d = the
///         largest power of two below p.
/// Valid   p >= 1; any root; parts of any sizes.
/// Source  [thakur2005], "binomial tree".

#include <cstdint>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/bcast/tree_bcast.hpp"
#include "espalier/algorithms/scatter/tree_scatter.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/pattern/tree.hpp"

namespace espalier::algorithms {
namespace {

pattern::TreeNode node_of(Request const& request, int x) {
  return pattern::k_nomial_node(2, request.num_ranks, x);
}

int num_rounds(Request const& request) {
  return ceil_log2(request.num_ranks);
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

extern Algorithm const scatter_binomial{
    .collective = Collective::scatter,
    .name = "binomial",
    .summary = "in every round each rank that has parts sends half of them on",
    .source = "thakur2005",
    .generate = generate,
    .facts = facts,
};

}  // namespace espalier::algorithms
