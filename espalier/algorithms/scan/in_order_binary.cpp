// SPDX-License-Identifier: Apache-2.0

/// @file
/// In-order binary tree scan: sums of subtrees go up, sums of all that is below a subtree come
/// down; with segments, a pipeline.
///
///     sent, p = 6     rank 0   rank 1     rank 2   rank 3      rank 4   rank 5
///     round 0         1:0(0)   -          -        -           5:0(4)   -
///     round 1         -        -          1:0(2)   -           -        -
///     round 2         -        3:0(012)   -        -           -        -
///     round 3         -        2:0(01)    -        5:0(0123)   -        -
///     round 4         -        -          -        -           -        4:0(0123)
///
/// The ranks below a node are in its left subtree and those above it in its right one. More rounds
/// than recursive doubling, but no rank sends more than three times, so that segments follow each
/// other quickly: a pipeline with about 4 log2 p stages, where the linear one has p.
///
/// Rounds  about 4 log2 p - 5, at most 4 log2 p - 3; with s segments 3 (s - 1) more.
/// Bytes   at most 3 m sent per rank, m = bytes of the vector.
/// Scratch a vector for each message that a rank receives, at most three.
/// Order   rank.
/// Valid   p >= 1; can be segmented.
/// Source  [sanders2006], "pipelined binary tree".

#include <string>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_scan.hpp"

namespace espalier::algorithms {

extern Algorithm const scan_in_order_binary{
    .collective = Collective::scan,
    .name = "in_order_binary",
    .summary = "sums go up and down a binary tree in rank order; with segments, a pipeline",
    .source = "sanders2006",
    .generate = tree_scan,
    .facts = tree_scan_facts,
    .order = [](Request const&) { return OperandOrder::rank; },
    .segment_period = tree_scan_period,
    .variants = [](Request const& request) -> std::vector<std::string> {
      if (request.num_ranks > 33) {
        return {"", "[segments=16]"};
      }
      return {"", "[segments=4]", "[segments=16]"};
    },
};

}  // namespace espalier::algorithms
