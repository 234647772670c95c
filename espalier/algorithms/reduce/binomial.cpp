// SPDX-License-Identifier: Apache-2.0

/// @file
/// Binomial tree reduction: in every round every other rank that still has a sum hands it over.
///
///     sent, p = 5     rank 0   rank 1   rank 2    rank 3   rank 4
///     round 0         -        0:0(1)   -         2:0(3)   -
///     round 1         -        -        0:0(23)   -        -
///     round 2         -        -        -         -        0:0(4)
///
/// Ranks are counted from the root, and a rank combines runs of ranks in their order: with root 0,
/// or with the argument in_order=1, by which rank 0 hands the sum on to the root, operands are in
/// rank order.
///
/// Rounds  ceil(log2 p); one more with in_order=1 and another root than 0.
/// Bytes   m sent per rank, m ceil(log2 p) received by the root, m = bytes of the vector.
/// Scratch a vector for each message that a rank receives, but for the last of several on the root.
/// Order   rank if the root is 0 or with in_order=1; any otherwise.
/// Valid   p >= 1; any root; can be segmented.
/// Source  [thakur2005], "binomial tree".

#include <string>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/k_nomial.hpp"
#include "espalier/algorithms/trees/tree_reduce.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeReduce<BinomialTrees>;

std::vector<std::string> variants(Request const& request) {
  if (request.num_ranks > 33) {
    return {"", "[in_order=1,segments=16]"};
  }
  return {"", "[in_order=1]", "[segments=4]", "[in_order=1,segments=16]"};
}

}  // namespace

extern Algorithm const reduce_binomial{
    .collective = Collective::reduce,
    .name = "binomial",
    .summary = "in every round every other rank that still has a sum hands it over",
    .source = "thakur2005",
    .parameters = {in_order_parameter},
    .generate = Trees::generate,
    .facts = Trees::facts,
    .order = tree_reduce_order,
    .segment_period = Trees::segment_period,
    .variants = variants,
    .phase_variants = {{.tried = Tried::in_groups}},
};

}  // namespace espalier::algorithms
