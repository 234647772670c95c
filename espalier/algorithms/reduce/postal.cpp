// SPDX-License-Identifier: Apache-2.0

/// @file
/// Postal tree reduction: the postal broadcast backwards, in which sums reach a rank one after the
/// other, from ranks that began as much earlier as a message is under way.
///
///     sent, p = 6, latency=2     rank 0   rank 1   rank 2   rank 3    rank 4   rank 5
///     round 0                    -        0:0(1)   -        -         3:0(4)   -
///     round 1                    -        -        0:0(2)   -         -        -
///     round 2                    -        -        -        0:0(34)   -        -
///     round 3                    -        -        -        -         -        0:0(5)
///
/// Ranks are counted from the root, and a rank combines runs of ranks in their order. Fastest for
/// small vectors, whose time is latency.
///
/// Rounds  f - latency + 1, f the first round with F(f) >= p, where F(t) = 1 for t < latency and
///         F(t) = F(t - 1) + F(t - latency) from there on; 0 for p = 1, p - 1 if latency >= p; one
///         more with in_order=1 and another root than 0.
/// Bytes   m sent per rank, m times the rounds received by the root, m = bytes of the vector.
/// Scratch a vector for each message that a rank receives, but for the last of several on the root.
/// Order   rank if the root is 0 or with in_order=1, by which rank 0 hands the sum on; any
///         otherwise.
/// Valid   p >= 1, latency >= 1 (1 is the binomial tree); any root; can be segmented.
/// Source  [barnoy1992], "Algorithm BCAST", backwards.

#include "espalier/algorithms/trees/postal.hpp"

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_reduce.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeReduce<PostalTrees>;

}  // namespace

extern Algorithm const reduce_postal{
    .collective = Collective::reduce,
    .name = "postal",
    .summary = "sums reach a rank one after the other, sent off as early as a message is under way",
    .source = "barnoy1992",
    .parameters = {postal_latency_parameter, in_order_parameter},
    .generate = Trees::generate,
    .facts = Trees::facts,
    .order = tree_reduce_order,
    .segment_period = Trees::segment_period,
    .variants = postal_variants,
    .phase_variants = {{.tried = Tried::in_groups, .arguments = "[latency=8]", .turn = 2}},
};

}  // namespace espalier::algorithms
