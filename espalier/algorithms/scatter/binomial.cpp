// SPDX-License-Identifier: Apache-2.0

/// @file
/// Binomial tree scatter: in every round each rank that has parts sends half of them on.
///
///     sent, p = 5     rank 0   rank 1   rank 2   rank 3   rank 4
///     round 0         4:4      -        -        -        -
///     round 1         2:23     -        -        -        -
///     round 2         1:1      -        3:3      -        -
///
/// Ranks are counted from the root. The parts of a subtree are a run that may wrap; they stand at
/// their final places on the root, so that nothing is rotated.
///
/// Rounds  ceil(log2 p).
/// Bytes   m (p - 1) / p sent by the root, m = bytes of all parts.
/// Scratch the parts of the subtree on ranks that serve others, at most those of d ranks, d = the
///         largest power of two below p.
/// Valid   p >= 1; any root; parts of any sizes.
/// Source  [thakur2005], "binomial tree".

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/k_nomial.hpp"
#include "espalier/algorithms/trees/tree_scatter.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeScatter<BinomialTrees>;

}  // namespace

extern Algorithm const scatter_binomial{
    .collective = Collective::scatter,
    .name = "binomial",
    .summary = "in every round each rank that has parts sends half of them on",
    .source = "thakur2005",
    .generate = Trees::generate,
    .facts = Trees::facts,
    .phase_variants = {{.tried = Tried::in_groups}},
};

}  // namespace espalier::algorithms
