// SPDX-License-Identifier: Apache-2.0

/// @file
/// Node-aware alltoall: every rank sends those at its place in the other rows of consecutive ranks
/// all that is for their row, then rows exchange combs of blocks. This is the orthogonal alltoall.
///
///     sent, p = 4     rank 0    rank 1    rank 2    rank 3
///     round 0         2:02,03   3:12,13   0:20,21   1:30,31
///     round 1         1:01,21   0:10,30   3:03,23   2:12,32
///
/// Rows are meant to be nodes: a rank sends p / n - 1 messages of n blocks to other nodes, n =
/// ranks of a row, and n - 1 messages of p / n blocks within its own, not p - 1 of one block.
/// Unequal rows are cut into as many nearly equal pieces as the smallest row has ranks, and any
/// rows into `lanes` pieces; the first rank of a piece works for it, along binomial trees before
/// and after.
///
/// Rounds  lane(p / n) + split(n), and two trees over the largest piece.
/// Bytes   m (p - n) / p between rows and m (n - 1) / n within; m = bytes of all blocks of a rank.
/// Scratch p blocks or, on a rank that works for k others, about 3 p (k + 1), and what the phases
///         need.
/// Valid   p >= rows, and what split and lane accept; blocks of the same size.
/// Source  [kumar2008]; unequal rows are ours.

#include "espalier/algorithms/alltoall/parts/lane_exchange.hpp"

namespace espalier::algorithms {
namespace {

using Plan = ExchangePlan<FirstPhase::lane>;

schedule::RankProgram generate(Request const& request, int rank) {
  return Plan(request).program(rank);
}

}  // namespace

extern Algorithm const alltoall_node_aware{
    .collective = Collective::alltoall,
    .name = "node_aware",
    .summary = "first between rows, whole rows at once, then combs within rows",
    .source = "kumar2008",
    .valid = "at least as many ranks as rows, and what split and lane accept",
    .parameters = multi_lane_parameters(exchange_fallbacks),
    .equal_blocks_only = true,
    .refuses = [](Request const& request) { return refuses_plan<Plan>(request); },
    .generate = generate,
    .facts = [](Request const& request) { return facts_of_plan<Plan>(request, generate); },
    .rounds = [](Request const& request) { return rounds_of_plan<Plan>(request); },
    .variants = [](Request const& request
                ) { return multi_lane_variants(request, Collective::alltoall); },
};

}  // namespace espalier::algorithms
