// SPDX-License-Identifier: Apache-2.0

/// @file
/// Flat scatter: the root sends every other rank its part itself, the last rank first.
///
///     sent, p = 4     rank 0   rank 1   rank 2   rank 3
///     round 0         3:3      -        -        -
///     round 1         2:2      -        -        -
///     round 2         1:1      -        -        -
///
/// No part moves twice and nobody needs scratch, but the root starts every message.
///
/// Rounds  p - 1.
/// Bytes   m (p - 1) / p sent by the root, m = bytes of all parts.
/// Valid   p >= 1; any root; parts of any sizes.
/// Source  [pjesivac2007], "linear".

#include "espalier/algorithms/trees/flat.hpp"

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_scatter.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeScatter<FlatRunTrees>;

}  // namespace

extern Algorithm const scatter_flat{
    .collective = Collective::scatter,
    .name = "flat",
    .summary = "the root sends every other rank its part itself",
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
