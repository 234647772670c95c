// SPDX-License-Identifier: Apache-2.0

/// @file
/// Recursive doubling allreduce: ranks at distance 1, 2, 4, ... swap whole vectors; sums cover
/// twice as many ranks after each round.
///
///     sent, p = 4     rank 0    rank 1    rank 2    rank 3
///     round 0         1:0(0)    0:0(1)    3:0(2)    2:0(3)
///     round 1         2:0(01)   3:0(01)   0:0(23)   1:0(23)
///
/// If p is no power of two, the first ranks form pairs: the second hands its vector to the first,
/// stays aside, and gets the result at the end.
///
/// Rounds  log2 p; otherwise floor(log2 p) + 2.
/// Bytes   m log2 p sent per rank, m = bytes of the vector; with pairs m more.
/// Scratch m.
/// Order   rank: a sum is that of a run of ranks.
/// Valid   p >= 1; can be segmented.
/// Source  [thakur2005], "recursive doubling".

#include <algorithm>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/allreduce/parts/radix.hpp"

namespace espalier::algorithms {
namespace {

Facts facts(Request const& request) {
  return radix_allreduce_facts(request.num_ranks, 2);
}

}  // namespace

extern Algorithm const allreduce_recursive_doubling{
    .collective = Collective::allreduce,
    .name = "recursive_doubling",
    .summary = "ranks at distance 1, 2, 4, ... swap whole vectors",
    .source = "thakur2005",
    .generate = [](Request const& request,
                   int rank) { return radix_allreduce(request.num_ranks, rank, 2); },
    .facts = facts,
    .order = [](Request const&) { return OperandOrder::rank; },
    .segment_period = [](Request const& request
                      ) { return std::max(1, static_cast<int>(facts(request).messages)); },
    .phase_variants = {{.tried = Tried::in_groups}},
};

}  // namespace espalier::algorithms
