// SPDX-License-Identifier: Apache-2.0

/// @file
/// K-ary tree barrier: signals gather along a k-ary tree at rank 0 and come back the same way.
///
///     sent, p = 5     rank 0   rank 1   rank 2   rank 3   rank 4
///     round 0         -        -        -        -        1
///     round 1         -        -        0        1        -
///     round 2         -        0        -        -        -
///     round 3         1        -        -        -        -
///     round 4         2        3        -        -        -
///     round 5         -        4        -        -        -
///
/// Ranks stand in the tree in breadth-first order. No rank waits for more than k others or signals
/// more than k + 1.
///
/// Rounds  2 R, R = largest sum of child numbers, each 1 .. k, on a way from the root to a leaf.
/// Bytes   none; a rank sends at most k + 1 signals.
/// Valid   p >= 1, k >= 1 (1 is the chain).
/// Source  [nishtala2009], "tree barrier".

#include <algorithm>
#include <string>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/barrier/tree_barrier.hpp"
#include "espalier/pattern/tree.hpp"

namespace espalier::algorithms {
namespace {

int order(Request const& request) {
  return request.arguments.integer("k", 2);
}

int tree_rounds(Request const& request) {
  return pattern::k_ary_rounds(order(request), request.num_ranks);
}

schedule::RankProgram generate(Request const& request, int rank) {
  auto const node = pattern::k_ary_node(order(request), request.num_ranks, rank);
  return tree_barrier(request, rank, node, tree_rounds(request));
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  int const k = order(request);
  // Rank 1 has the children k + 1, ..., and sends to its parent too.
  int const below_first = p < 2 ? 0 : 1 + std::clamp(p - 1 - k, 0, k);
  return {
      .rounds = 2 * tree_rounds(request),
      .messages = std::max(std::min(k, p - 1), below_first),
      .volume = 0,
  };
}

std::vector<std::string> variants(Request const& request) {
  if (request.num_ranks < 4) {
    return {""};
  }
  return {"[k=2]", "[k=4]"};
}

}  // namespace

extern Algorithm const barrier_k_ary{
    .collective = Collective::barrier,
    .name = "k_ary",
    .summary = "signals gather along a k-ary tree at rank 0 and come back the same way",
    .source = "nishtala2009",
    .parameters = {{
        .name = "k",
        .type = Parameter::Type::integer,
        .fallback = "2",
        .minimum = 1,
        .description = "ranks that a rank waits for",
    }},
    .generate = generate,
    .facts = facts,
    .variants = variants,
};

}  // namespace espalier::algorithms
