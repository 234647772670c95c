// SPDX-License-Identifier: Apache-2.0

/// @file
/// K-nomial tree reduction: in every phase one of k ranks combines what the k - 1 others have.
///
///     sent, p = 6     rank 0   rank 1   rank 2   rank 3     rank 4   rank 5
///     round 0         -        0:0(1)   -        -          3:0(4)   -
///     round 1         -        -        0:0(2)   -          -        3:0(5)
///     round 2         -        -        -        0:0(345)   -        -
///
/// The k-nomial broadcast backwards: the work is near the root, but messages reach it one after the
/// other. Ranks are counted from the root, and a rank combines runs of ranks in their order.
///
/// Rounds  (k - 1) (ceil(log_k p) - 1) + floor((p - 1) / k^(ceil(log_k p) - 1)); 0 for p = 1; one
///         more with in_order=1 and another root than 0.
/// Bytes   m sent per rank, m times the rounds received by the root, m = bytes of the vector.
/// Scratch a vector for each message that a rank receives, but for the last of several on the root.
/// Order   rank if the root is 0 or with in_order=1, by which rank 0 hands the sum on; any
///         otherwise.
/// Valid   p >= 1, k >= 2; any root; can be segmented.
/// Source  [nishtala2009], "k-nomial tree"; [wilkins2023].

#include "espalier/algorithms/trees/k_nomial.hpp"

#include <string>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_reduce.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeReduce<KNomialTrees<3>>;

std::vector<std::string> variants(Request const& request) {
  if (request.num_ranks > 33) {
    return {"[k=4]", "[k=8,in_order=1]"};
  }
  return {"[k=3]", "[k=4,in_order=1]", "[k=4,segments=4]"};
}

}  // namespace

extern Algorithm const reduce_k_nomial{
    .collective = Collective::reduce,
    .name = "k_nomial",
    .summary = "in every phase one of k ranks combines what the k - 1 others have",
    .source = "nishtala2009,wilkins2023",
    .parameters =
        {{
             .name = "k",
             .type = Parameter::Type::integer,
             .fallback = "3",
             .minimum = 2,
             .description = "ranks whose sums become one in a phase",
         },
         in_order_parameter},
    .generate = Trees::generate,
    .facts = Trees::facts,
    .order = tree_reduce_order,
    .segment_period = Trees::segment_period,
    .variants = variants,
    .phase_variants = {{.tried = Tried::in_groups, .arguments = "[k=4]", .turn = 2}},
};

}  // namespace espalier::algorithms
