// SPDX-License-Identifier: Apache-2.0

/// @file
/// Circulant allreduce: what a rank is responsible for is halved along the skips of a circulant
/// graph, until it is one piece; then the same backwards.
///
///     sent, p = 3     rank 0     rank 1     rank 2
///     round 0         2:2(0)     0:0(1)     1:1(2)
///     round 1         1:1(0)     2:2(1)     0:0(2)
///     round 2         2:0(012)   0:1(012)   1:2(012)
///     round 3         1:0(012)   2:1(012)   0:2(012)
///
/// The bytes of a ring in twice the rounds of a tree, for any number of ranks: no rank stays aside.
///
/// Rounds  2 ceil(log2 p).
/// Bytes   2 m (p - 1) / p sent per rank, m = bytes of the vector: the least possible.
/// Scratch about 3/4 m.
/// Order   any: runs of ranks wrap.
/// Valid   p >= 1; the vector is cut into p pieces.
/// Source  [traeff2024b], allreduce.

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/allreduce/parts/stepwise_allreduce.hpp"
#include "espalier/algorithms/reduce_scatter/parts/halvings.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::algorithms {

extern Algorithm const allreduce_circulant{
    .collective = Collective::allreduce,
    .name = "circulant",
    .summary = "halving along the skips of a circulant graph, then the same backwards",
    .source = "traeff2024b",
    .generate = [](Request const& request,
                   int rank) { return stepwise_allreduce(request, rank, fall_along_skips); },
    .facts =
        [](Request const& request) {
          int const p = request.num_ranks;
          return stepwise_allreduce_facts(p, ceil_log2(p), fall_along_skips);
        },
    .num_pieces = [](Request const& request) { return request.num_ranks; },
};

}  // namespace espalier::algorithms
