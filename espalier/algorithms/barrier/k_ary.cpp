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

#include "espalier/algorithms/trees/k_ary.hpp"

#include <string>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_barrier.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeBarrier<KAryTrees<2>>;

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
    .generate = Trees::generate,
    .facts = Trees::facts,
    .variants = variants,
};

}  // namespace espalier::algorithms
