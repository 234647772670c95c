// SPDX-License-Identifier: Apache-2.0

/// @file
/// Ring allreduce: the sum of each piece travels once round the ring while every rank adds its
/// contribution, and then once more to be known to all.
///
///     sent, p = 4     rank 0      rank 1      rank 2      rank 3
///     round 0         1:3(0)      2:0(1)      3:1(2)      0:2(3)
///     round 1         1:2(03)     2:3(01)     3:0(12)     0:1(23)
///     round 2         1:1(023)    2:2(013)    3:3(012)    0:0(123)
///     round 3         3:0(0123)   0:1(0123)   1:2(0123)   2:3(0123)
///     round 4         3:1(0123)   0:2(0123)   1:3(0123)   2:0(0123)
///     round 5         3:2(0123)   0:3(0123)   1:0(0123)   2:1(0123)
///
/// Rounds  2 (p - 1).
/// Bytes   2 m (p - 1) / p sent per rank, m = bytes of the vector: the least possible.
/// Scratch m (p - 1) / p: pieces may have different sizes, so each has a place of its own.
/// Order   any: a sum begins at the rank above the piece's number, and wraps.
/// Valid   p >= 1; the vector is cut into p pieces; can be segmented.
/// Source  [patarasuk2009], "ring".

#include <algorithm>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/allreduce/parts/stepwise_allreduce.hpp"
#include "espalier/algorithms/reduce_scatter/parts/halvings.hpp"

namespace espalier::algorithms {

extern Algorithm const allreduce_ring{
    .collective = Collective::allreduce,
    .name = "ring",
    .summary = "the sum of each piece travels twice round the ring",
    .source = "patarasuk2009",
    .neighbours_only = true,
    .generate = [](Request const& request,
                   int rank) { return stepwise_allreduce(request, rank, pass_to_neighbor); },
    .facts =
        [](Request const& request) {
          int const p = request.num_ranks;
          return stepwise_allreduce_facts(p, p - 1, pass_to_neighbor);
        },
    .num_pieces = [](Request const& request) { return request.num_ranks; },
    .segment_period = [](Request const& request
                      ) { return std::max(1, 2 * (request.num_ranks - 1)); },
    .phase_variants =
        {
            {.tried = Tried::in_groups},
            {.tried = Tried::within_rows},
            {.tried = Tried::between_rows},
        },
};

}  // namespace espalier::algorithms
