// SPDX-License-Identifier: Apache-2.0

/// @file
/// Bine reduce-scatter: recursive halving with partners at negabinary distances, about p / 3, p /
/// 6,
/// ..., 3, 1, 1: two thirds of the hops on a ring.
///
///     sent, p = 4     rank 0    rank 1    rank 2    rank 3
///     round 0         3:23(0)   2:23(1)   1:01(2)   0:01(3)
///     round 1         1:1(03)   0:0(12)   3:3(12)   2:2(03)
///
/// Even ranks look up, odd ranks down, and a step later the other way. What a rank is responsible
/// for is always a run of blocks, which may wrap. If p is no power of two, the first ranks form
/// pairs: the second hands all it has to the first, stays aside, and gets its part at the end.
///
/// Rounds  log2 p; otherwise floor(log2 p) + 2.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the vector; m by a rank that stays aside.
/// Scratch 3/4 m; with pairs at most 2 m.
/// Order   any.
/// Valid   p >= 1; any datatype, blocks are never split.
/// Source  [desensi2025], butterfly with halving distances; [thakur2005] for the pairs.

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/reduce_scatter/parts/halvings.hpp"
#include "espalier/algorithms/reduce_scatter/parts/stepwise.hpp"

namespace espalier::algorithms {

extern Algorithm const reduce_scatter_bine{
    .collective = Collective::reduce_scatter,
    .name = "bine",
    .summary = "recursive halving at negabinary distances: two thirds of the hops",
    .source = "desensi2025,thakur2005",
    .generate = [](Request const& request, int rank
                ) { return halving_reduce_scatter(request, rank, halve_negabinary_distances); },
    .facts = [](Request const& request) { return halving_facts(request.num_ranks); },
};

}  // namespace espalier::algorithms
