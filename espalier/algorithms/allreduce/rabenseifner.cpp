// SPDX-License-Identifier: Apache-2.0

/// @file
/// Rabenseifner allreduce: recursive halving, until every rank has the sum of one piece, then
/// recursive doubling, until all have all pieces.
///
///     sent, p = 4     rank 0       rank 1       rank 2       rank 3
///     round 0         2:23(0)      3:23(1)      0:01(2)      1:01(3)
///     round 1         1:1(02)      0:0(13)      3:3(02)      2:2(13)
///     round 2         1:0(0123)    0:1(0123)    3:2(0123)    2:3(0123)
///     round 3         2:01(0123)   3:01(0123)   0:23(0123)   1:23(0123)
///
/// With near=1 the distances of the halving are 1, 2, ..., so that half of the vector goes to the
/// nearest rank, and the least to the farthest; a rank has the sum of another piece then. If p is
/// no power of two, the first ranks form pairs: the second hands its vector to the first, stays
/// aside, and gets the result at the end.
///
/// Rounds  2 log2 p; otherwise 2 floor(log2 p) + 2.
/// Bytes   2 m (n - 1) / n sent per rank, m = bytes of the vector, n = largest power of two in p;
///         with pairs m more.
/// Scratch 3/4 m; with pairs 3/2 m.
/// Order   any: distant ranks are combined first.
/// Valid   p >= 1; the vector is cut into n pieces.
/// Source  [thakur2005], "Rabenseifner's algorithm".

#include <string>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/allreduce/parts/stepwise_allreduce.hpp"
#include "espalier/algorithms/reduce_scatter/parts/halvings.hpp"

namespace espalier::algorithms {
namespace {

Steps steps_of(Request const& request) {
  return request.arguments.integer("near", 0) == 1 ? double_distances : halve_distances;
}

}  // namespace

extern Algorithm const allreduce_rabenseifner{
    .collective = Collective::allreduce,
    .name = "rabenseifner",
    .summary = "recursive halving until every rank has one sum, then recursive doubling",
    .source = "thakur2005",
    .parameters = {{
        .name = "near",
        .type = Parameter::Type::integer,
        .fallback = "0",
        .minimum = 0,
        .maximum = 1,
        .description = "1: half of the vector goes to the nearest rank instead of the farthest",
    }},
    .generate = [](Request const& request,
                   int rank) { return folded_allreduce(request, rank, steps_of(request)); },
    .facts = [](Request const& request) { return folded_allreduce_facts(request.num_ranks); },
    .num_pieces = [](Request const& request
                  ) { return largest_power_of_two(request.num_ranks).num_places(); },
    .variants = [](Request const&) { return std::vector<std::string>{"", "[near=1]"}; },
    .phase_variants = {{.tried = Tried::in_groups}},
};

}  // namespace espalier::algorithms
