// SPDX-License-Identifier: Apache-2.0

/// @file
/// Swing reduce-scatter: even and odd ranks swap halves of what they are responsible for at
/// distance 1, 1, 3, 5, 11, ..., now to this side, now to the other.
///
///     sent, p = 4     rank 0    rank 1    rank 2    rank 3
///     round 0         1:21(0)   0:03(1)   3:03(2)   2:21(3)
///     round 1         3:3(01)   2:2(01)   1:1(23)   0:0(23)
///
/// The largest messages go to a neighbour, and a distance is two thirds of the power of two of
/// recursive doubling. The blocks of a message are two combs. If p is even but no power of two,
/// partners could reach some ranks on two ways: a block travels only on the first, and some blocks
/// are copied to join others in a message.
///
/// Rounds  ceil(log2 p).
/// Bytes   m (p - 1) / p sent per rank, m = bytes of the vector.
/// Scratch about 3/4 m; about m if p is no power of two.
/// Order   any.
/// Valid   even p, or p = 1; any datatype, blocks are never split.
/// Source  [desensi2024], bandwidth-optimal form on one dimension.

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/reduce_scatter/parts/halvings.hpp"
#include "espalier/algorithms/reduce_scatter/parts/stepwise.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::algorithms {
namespace {

schedule::RankProgram generate(Request const& request, int rank) {
  return stepwise_reduce_scatter(request, rank, double_negabinary_distances);
}

std::string refuses(Request const& request) {
  int const p = request.num_ranks;
  return p % 2 == 0 || p == 1 ? "" : "needs an even number of ranks, got " + std::to_string(p);
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  return stepwise_facts(p, ceil_log2(p), double_negabinary_distances);
}

}  // namespace

extern Algorithm const reduce_scatter_swing{
    .collective = Collective::reduce_scatter,
    .name = "swing",
    .summary = "halves are swapped at growing negabinary distances, the largest with a neighbour",
    .source = "desensi2024",
    .valid = "an even number of ranks, or one",
    .refuses = refuses,
    .generate = generate,
    .facts = facts,
};

}  // namespace espalier::algorithms
