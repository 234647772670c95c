// SPDX-License-Identifier: Apache-2.0

/// @file
/// Ordered halving reduce-scatter: ranks at distance 1, 2, 4, ... swap every second, fourth, ... of
/// the blocks they still combine; so neighbours are combined first and operands keep their order.
///
///     sent, p = 4     rank 0    rank 1    rank 2    rank 3
///     round 0         1:13(0)   0:02(1)   3:13(2)   2:02(3)
///     round 1         2:2(01)   3:3(01)   0:0(23)   1:1(23)
///
/// Where recursive halving sends runs over long distances first, this sends combs over short ones:
/// most bytes go to the nearest rank. If p is no power of two, the first ranks form pairs as there.
///
/// Rounds  log2 p; otherwise floor(log2 p) + 2.
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the vector; m by a rank that stays aside. A
///         rank whose first partner is lower copies m / 2.
/// Scratch m; with pairs at most 2 m.
/// Order   rank: at every step a rank holds the sum of a run of ranks.
/// Valid   p >= 1; any datatype, blocks are never split.
/// Source  [thakur2005], "recursive doubling" of its reduce-scatter, without the blocks that are
///         not needed.

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/reduce_scatter/parts/dividing.hpp"

namespace espalier::algorithms {

extern Algorithm const reduce_scatter_ordered_halving{
    .collective = Collective::reduce_scatter,
    .name = "ordered_halving",
    .summary = "ranks at distance 1, 2, 4, ... swap combs of blocks; operands keep their order",
    .source = "thakur2005",
    .generate = [](Request const& request,
                   int rank) { return dividing_reduce_scatter(request.num_ranks, rank, 2); },
    .facts = [](Request const& request) { return dividing_facts(request.num_ranks, 2); },
    .order = [](Request const&) { return OperandOrder::rank; },
};

}  // namespace espalier::algorithms
