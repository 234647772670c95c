// SPDX-License-Identifier: Apache-2.0

/// @file
/// Postal tree gather: the postal scatter backwards, in which parts reach a rank one after the
/// other, from ranks that began as much earlier as a message is under way.
///
///     sent, p = 6, latency=2     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     round 0                    -        0:1      -        -        3:4      -
///     round 1                    -        -        0:2      -        -        -
///     round 2                    -        -        -        0:34     -        -
///     round 3                    -        -        -        -        -        0:5
///
/// The parts of a subtree are a run that may wrap, ranks counted from the root. Fastest for small
/// parts, whose time is latency.
///
/// Rounds  f - latency + 1, f the first round with F(f) >= p, where F(t) = 1 for t < latency and
///         F(t) = F(t - 1) + F(t - latency) from there on; 0 for p = 1, p - 1 if latency >= p.
/// Bytes   m (p - 1) / p received by the root, m = bytes of all parts.
/// Scratch the parts of the subtree on ranks that hear others.
/// Valid   p >= 1, latency >= 1 (1 is the binomial tree); any root; parts of any sizes.
/// Source  [barnoy1992], "Algorithm BCAST", backwards.

#include "espalier/algorithms/trees/postal.hpp"

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_gather.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeGather<PostalTrees>;

}  // namespace

extern Algorithm const gather_postal{
    .collective = Collective::gather,
    .name = "postal",
    .summary =
        "parts reach a rank one after the other, sent off as early as a message is under way",
    .source = "barnoy1992",
    .parameters = {postal_latency_parameter},
    .generate = Trees::generate,
    .facts = Trees::facts,
    .variants = postal_variants,
    .phase_variants = {{.tried = Tried::in_groups, .arguments = "[latency=8]", .turn = 2}},
};

}  // namespace espalier::algorithms
