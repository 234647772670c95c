// SPDX-License-Identifier: Apache-2.0

/// @file
/// K-ary tree broadcast: every rank passes the message on to k ranks; with segments, a pipeline.
///
///     blocks held, p = 6     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     start                  0        -        -        -        -        -
///     after round 0          0        0        -        -        -        -
///     after round 1          0        0        0        0        -        -
///     after round 2          0        0        0        0        0        0
///
/// Ranks stand in the tree in breadth-first order; a rank serves one child per round. Deeper than
/// the k-nomial tree, but no rank sends more than k times, so that segments follow each other
/// quickly.
///
/// Rounds  at most k ceil(log_k p); exactly: the largest sum of child numbers, each 1 .. k,
///         between the root and a leaf.
/// Bytes   m min(k, p - 1) sent by the root, m = bytes of the message.
/// Valid   p >= 1, k >= 1 (1 is the chain); any root; can be segmented.
/// Source  [pjesivac2007], "binary tree" for k = 2.

#include "espalier/algorithms/trees/k_ary.hpp"

#include <string>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_bcast.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeBcast<KAryTrees<2>>;

std::vector<std::string> variants(Request const& request) {
  if (request.num_ranks < 4) {
    return {""};
  }
  if (request.num_ranks > 33) {
    return {"[k=2]", "[k=2,segments=16]", "[k=4]"};
  }
  return {"[k=2]", "[k=2,segments=4]", "[k=2,segments=16]", "[k=3]", "[k=4]"};
}

}  // namespace

extern Algorithm const bcast_k_ary{
    .collective = Collective::bcast,
    .name = "k_ary",
    .summary = "every rank passes the message on to k ranks; with segments, a pipeline",
    .source = "pjesivac2007",
    .parameters = {{
        .name = "k",
        .type = Parameter::Type::integer,
        .fallback = "2",
        .minimum = 1,
        .description = "ranks that a rank passes the message on to",
    }},
    .generate = Trees::generate,
    .facts = Trees::facts,
    .segment_period = Trees::segment_period,
    .variants = variants,
};

}  // namespace espalier::algorithms
