// SPDX-License-Identifier: Apache-2.0

/// @file
/// Binomial tree gather: in every round every other rank that still has parts hands them all over.
///
///     sent, p = 5     rank 0   rank 1   rank 2   rank 3   rank 4
///     round 0         -        0:1      -        2:3      -
///     round 1         -        -        0:23     -        -
///     round 2         -        -        -        -        0:4
///
/// The binomial scatter backwards. Ranks are counted from the root; the parts of a subtree are a
/// run that may wrap, and they arrive at their final places on the root, so that nothing is
/// rotated.
///
/// Rounds  ceil(log2 p).
/// Bytes   m (p - 1) / p received by the root, m = bytes of all parts.
/// Scratch the parts of the subtree on ranks that hear others, at most those of d ranks, d = the
///         largest power of two below p.
/// Valid   p >= 1; any root; parts of any sizes.
/// Source  [thakur2005], "binomial tree".

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/k_nomial.hpp"
#include "espalier/algorithms/trees/tree_gather.hpp"

namespace espalier::algorithms {
namespace {

using Trees = TreeGather<BinomialTrees>;

}  // namespace

extern Algorithm const gather_binomial{
    .collective = Collective::gather,
    .name = "binomial",
    .summary = "in every round every other rank that still has parts hands them over",
    .source = "thakur2005",
    .generate = Trees::generate,
    .facts = Trees::facts,
    .phase_variants = {{.tried = Tried::in_groups}},
};

}  // namespace espalier::algorithms
