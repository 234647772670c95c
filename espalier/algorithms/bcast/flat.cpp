// SPDX-License-Identifier: Apache-2.0

/// @file
/// Flat broadcast: the root sends the message to every other rank itself.
///
///     blocks held, p = 4     rank 0   rank 1   rank 2   rank 3
///     start                  0        -        -        -
///     after round 0          0        0        -        -
///     after round 1          0        0        0        -
///     after round 2          0        0        0        0
///
/// Rounds  p - 1.
/// Bytes   m (p - 1) sent by the root, m = bytes of the message.
/// Valid   p >= 1; any root; can be segmented.
/// Source  [pjesivac2007], "flat tree".

#include "espalier/algorithms/trees/flat.hpp"

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_bcast.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeBcast<FlatTrees>;

}  // namespace

extern Algorithm const bcast_flat{
    .collective = Collective::bcast,
    .name = "flat",
    .summary = "the root sends the message to every other rank itself",
    .source = "pjesivac2007",
    .generate = Trees::generate,
    .facts = Trees::facts,
    .segment_period = Trees::segment_period,
    .phase_variants =
        {
            {.tried = Tried::in_groups, .turn = 2},
            {.tried = Tried::as_signals},
        },
};

}  // namespace espalier::algorithms
