// SPDX-License-Identifier: Apache-2.0

/// @file
/// Postal tree scatter: every rank that has parts sends all the time, and gives as large a run of
/// them to another as it can hand on in the time that is left.
///
///     sent, p = 6, latency=2     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     round 0                    5:5      -        -        -        -        -
///     round 1                    3:34     -        -        -        -        -
///     round 2                    2:2      -        -        -        -        -
///     round 3                    1:1      -        -        4:4      -        -
///
/// The parts of a subtree are a run that may wrap, ranks counted from the root. Fastest for small
/// parts, whose time is latency.
///
/// Rounds  f - latency + 1, f the first round with F(f) >= p, where F(t) = 1 for t < latency and
///         F(t) = F(t - 1) + F(t - latency) from there on; 0 for p = 1, p - 1 if latency >= p.
/// Bytes   m (p - 1) / p sent by the root, m = bytes of all parts.
/// Scratch the parts of the subtree on ranks that serve others.
/// Valid   p >= 1, latency >= 1 (1 is the binomial tree); any root; parts of any sizes.
/// Source  [barnoy1992], "Algorithm BCAST".

#include "espalier/algorithms/trees/postal.hpp"

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_scatter.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeScatter<PostalTrees>;

}  // namespace

extern Algorithm const scatter_postal{
    .collective = Collective::scatter,
    .name = "postal",
    .summary =
        "every rank that has parts sends all the time, to others that can hand on what is left",
    .source = "barnoy1992",
    .parameters = {postal_latency_parameter},
    .generate = Trees::generate,
    .facts = Trees::facts,
    .variants = postal_variants,
    .phase_variants = {{.tried = Tried::in_groups, .arguments = "[latency=8]", .turn = 2}},
};

}  // namespace espalier::algorithms
