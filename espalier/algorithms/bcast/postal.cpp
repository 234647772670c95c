// SPDX-License-Identifier: Apache-2.0

/// @file
/// Postal tree broadcast: every rank that has the message sends all the time, and how many each of
/// those it serves will serve follows from how long a message is under way.
///
///     blocks held, p = 6, latency=2     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     start                             0        -        -        -        -        -
///     after round 0                     0        -        -        -        -        0
///     after round 1                     0        -        -        0        -        0
///     after round 2                     0        -        0        0        -        0
///     after round 3                     0        0        0        0        0        0
///
/// With latency=2 what is sent in round r can be sent on in round r + 2. Fastest for small
/// messages, whose time is latency; larger ones leave the root one after the other.
///
/// Rounds  f - latency + 1, f the first round with F(f) >= p, where F(t) = 1 for t < latency and
///         F(t) = F(t - 1) + F(t - latency) from there on; 0 for p = 1, p - 1 if latency >= p.
/// Bytes   m times as many sent by the root, m = bytes of the message.
/// Valid   p >= 1, latency >= 1 (1 is the binomial tree); any root; can be segmented.
/// Source  [barnoy1992], "Algorithm BCAST".

#include "espalier/algorithms/trees/postal.hpp"

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_bcast.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeBcast<PostalTrees>;

}  // namespace

extern Algorithm const bcast_postal{
    .collective = Collective::bcast,
    .name = "postal",
    .summary =
        "every rank that has the message sends all the time, knowing how long one is under way",
    .source = "barnoy1992",
    .parameters = {postal_latency_parameter},
    .generate = Trees::generate,
    .facts = Trees::facts,
    .segment_period = Trees::segment_period,
    .variants = postal_variants,
    .phase_variants = {{.tried = Tried::in_groups, .arguments = "[latency=8]", .turn = 2}},
};

}  // namespace espalier::algorithms
