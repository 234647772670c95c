// SPDX-License-Identifier: Apache-2.0

/// @file
/// Multi-lane alltoall: ranks of a row of consecutive ranks first exchange combs of blocks, one for
/// each place, then every rank sends those at its place in the other rows all that is for them.
///
///     sent, p = 4     rank 0    rank 1    rank 2    rank 3
///     round 0         1:01,03   0:10,12   3:21,23   2:30,32
///     round 1         2:02,12   3:03,13   0:20,30   1:21,31
///
/// The node-aware alltoall with its phases in the opposite order: what a rank sends to other rows
/// has the blocks of all ranks of its own. Unequal rows are cut into as many nearly equal pieces as
/// the smallest row has ranks, and any rows into `lanes` pieces; the first rank of a piece works
/// for it, along binomial trees before and after.
///
/// Rounds  split(n) + lane(p / n), n = ranks of a row, and two trees over the largest piece.
/// Bytes   m (n - 1) / n within rows and m (p - n) / p between; m = bytes of all blocks of a rank.
/// Scratch p blocks or, on a rank that works for k others, about 3 p (k + 1), and what the phases
///         need.
/// Valid   p >= rows, and what split and lane accept; blocks of the same size.
/// Source  [traeff2020]; unequal rows are ours.

#include "espalier/algorithms/alltoall/parts/lane_exchange.hpp"

namespace espalier::algorithms {
namespace {

using Plan = ExchangePlan<FirstPhase::split>;

schedule::RankProgram generate(Request const& request, int rank) {
  return Plan(request).program(rank);
}

}  // namespace

extern Algorithm const alltoall_multi_lane{
    .collective = Collective::alltoall,
    .name = "multi_lane",
    .summary = "first combs within rows, then between rows, for all ranks at once",
    .source = "traeff2020",
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
