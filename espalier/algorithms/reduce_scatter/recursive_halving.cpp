// SPDX-License-Identifier: Apache-2.0

/// @file
/// Recursive halving reduce-scatter: ranks at distance p / 2, p / 4, ..., 1 swap the halves of the
/// vector that the other side is responsible for.
///
///     sent, p = 4     rank 0    rank 1    rank 2    rank 3
///     round 0         2:23(0)   3:23(1)   0:01(2)   1:01(3)
///     round 1         1:1(02)   0:0(13)   3:3(02)   2:2(13)
///
/// If p is no power of two, the first ranks form pairs: the second hands all it has to the first,
/// stays aside, and gets its part at the end.
///
/// Rounds  log2 p; otherwise floor(log2 p) + 2.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the vector; m by a rank that stays aside.
/// Scratch 3/4 m; with pairs at most 2 m.
/// Order   any: distant ranks are combined first.
/// Valid   p >= 1; any datatype, blocks are never split.
/// Source  [thakur2005], "recursive halving".

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/reduce_scatter/parts/halvings.hpp"
#include "espalier/algorithms/reduce_scatter/parts/stepwise.hpp"

namespace espalier::algorithms {

extern Algorithm const reduce_scatter_recursive_halving{
    .collective = Collective::reduce_scatter,
    .name = "recursive_halving",
    .summary = "ranks at distance p / 2, p / 4, ... swap the halves the other side has to sum",
    .source = "thakur2005",
    .generate = [](Request const& request,
                   int rank) { return halving_reduce_scatter(request, rank, halve_distances); },
    .facts = [](Request const& request) { return halving_facts(request.num_ranks); },
};

}  // namespace espalier::algorithms
