// SPDX-License-Identifier: Apache-2.0

/// @file
/// Flat gather: every rank sends its part to the root itself.
///
///     sent, p = 4     rank 0   rank 1   rank 2   rank 3
///     round 0         -        0:1      -        -
///     round 1         -        -        0:2      -
///     round 2         -        -        -        0:3
///
/// No part moves twice and nobody needs scratch, but all messages meet at the root.
///
/// Rounds  p - 1.
/// Bytes   m (p - 1) / p received by the root, m = bytes of all parts.
/// Valid   p >= 1; any root; parts of any sizes.
/// Source  [pjesivac2007], "linear".

#include "espalier/algorithms/trees/flat.hpp"

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_gather.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeGather<FlatRunTrees>;

}  // namespace

extern Algorithm const gather_flat{
    .collective = Collective::gather,
    .name = "flat",
    .summary = "every rank sends its part to the root itself",
    .source = "pjesivac2007",
    .generate = Trees::generate,
    .facts = Trees::facts,
    .phase_variants =
        {
            {.tried = Tried::in_groups, .turn = 2},
            {.tried = Tried::within_rows},
            {.tried = Tried::between_rows},
        },
};

}  // namespace espalier::algorithms
