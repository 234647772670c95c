// SPDX-License-Identifier: Apache-2.0

/// @file
/// K-ary tree reduction: every rank combines the sums of at most k runs of ranks with its own; with
/// segments, a pipeline.
///
///     sent, p = 6     rank 0   rank 1    rank 2   rank 3     rank 4   rank 5
///     round 0         -        -         1:0(2)   -          3:0(4)   -
///     round 1         -        0:0(12)   -        -          -        3:0(5)
///     round 2         -        -         -        0:0(345)   -        -
///
/// The same work for every rank that has somebody below it, and no rank hears more than k others,
/// so that segments follow each other quickly. Ranks are counted from the root, and a rank combines
/// runs of ranks in their order.
///
/// Rounds  at most k ceil(log_k p), less where runs are short; p - 1 for k = 1; one more with
///         in_order=1 and another root than 0.
/// Bytes   m sent per rank, at most k m received, m = bytes of the vector.
/// Scratch a vector for each message that a rank receives, at most k.
/// Order   rank if the root is 0 or with in_order=1, by which rank 0 hands the sum on; any
///         otherwise.
/// Valid   p >= 1, k >= 1 (1 is a chain); any root; can be segmented.
/// Source  [nishtala2009], "k-ary tree".

#include "espalier/algorithms/trees/k_ary.hpp"

#include <string>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_reduce.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeReduce<KAryRunTrees>;

std::vector<std::string> variants(Request const& request) {
  if (request.num_ranks > 33) {
    return {"[k=2,in_order=1,segments=16]", "[k=4]"};
  }
  return {"[k=1]", "[k=2,in_order=1]", "[k=2,segments=4]", "[k=4]"};
}

}  // namespace

extern Algorithm const reduce_k_ary{
    .collective = Collective::reduce,
    .name = "k_ary",
    .summary = "every rank combines the sums of k runs of ranks; with segments, a pipeline",
    .source = "nishtala2009",
    .parameters =
        {{
             .name = "k",
             .type = Parameter::Type::integer,
             .fallback = "2",
             .minimum = 1,
             .description = "most ranks that a rank hears",
         },
         in_order_parameter},
    .generate = Trees::generate,
    .facts = Trees::facts,
    .order = tree_reduce_order,
    .segment_period = Trees::segment_period,
    .variants = variants,
};

}  // namespace espalier::algorithms
