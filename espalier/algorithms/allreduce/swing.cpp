// SPDX-License-Identifier: Apache-2.0

/// @file
/// Swing allreduce: even and odd ranks swap halves of what they are responsible for at distance 1,
/// 1, 3, 5, 11, ..., now to this side, now to the other; then the same backwards.
///
///     sent, p = 4     rank 0       rank 1       rank 2       rank 3
///     round 0         1:21(0)      0:03(1)      3:03(2)      2:21(3)
///     round 1         3:3(01)      2:2(01)      1:1(23)      0:0(23)
///     round 2         3:0(0123)    2:1(0123)    1:2(0123)    0:3(0123)
///     round 3         1:03(0123)   0:21(0123)   3:21(0123)   2:03(0123)
///
/// The largest messages go to a neighbour. If p is even but no power of two, a block that could
/// travel on two ways takes only the first, and some blocks are copied to join others in a message.
///
/// The form with whole vectors is allreduce/bine[whole=1], which runs through the steps from the
/// last to the first: in the order here neighbours would add up the same numbers in different
/// orders, and ranks would end with different bits.
///
/// Rounds  2 ceil(log2 p).
/// Bytes   2 m (p - 1) / p sent per rank, m = bytes of the vector: the least possible.
/// Scratch about 3/4 m; about m if p is no power of two.
/// Order   any.
/// Valid   even p, or p = 1; the vector is cut into p pieces.
/// Source  [desensi2024], bandwidth-optimal form on one dimension.

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/allreduce/parts/stepwise_allreduce.hpp"
#include "espalier/algorithms/reduce_scatter/parts/halvings.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::algorithms {
namespace {

std::string refuses(Request const& request) {
  int const p = request.num_ranks;
  return p % 2 == 0 || p == 1 ? "" : "needs an even number of ranks, got " + std::to_string(p);
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  return stepwise_allreduce_facts(p, ceil_log2(p), double_negabinary_distances);
}

}  // namespace

extern Algorithm const allreduce_swing{
    .collective = Collective::allreduce,
    .name = "swing",
    .summary = "halves are swapped at growing negabinary distances, the largest with a neighbour",
    .source = "desensi2024",
    .valid = "an even number of ranks, or one",
    .refuses = refuses,
    .generate = [](Request const& request, int rank
                ) { return stepwise_allreduce(request, rank, double_negabinary_distances); },
    .facts = facts,
    .num_pieces = [](Request const& request) { return request.num_ranks; },
};

}  // namespace espalier::algorithms
