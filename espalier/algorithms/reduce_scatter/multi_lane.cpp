// SPDX-License-Identifier: Apache-2.0

/// @file
/// Multi-lane reduce-scatter: every row of consecutive ranks deals out the sums of combs of blocks,
/// one comb for each place, then every rank works with those at its place in the other rows.
///
///     sent, p = 4     rank 0    rank 1    rank 2    rank 3
///     round 0         1:13(0)   0:02(1)   3:13(2)   2:02(3)
///     round 1         2:2(01)   3:3(01)   0:0(23)   1:1(23)
///
/// Rows are meant to be nodes: between nodes a rank sends one block to each, not whole rows.
/// Unequal rows are cut into as many nearly equal pieces as the smallest row has ranks, and any
/// rows into `lanes` pieces: these reduce to their first rank, which works for them and scatters
/// the results.
///
/// Rounds  split(n) + lane(p / n), n = ranks of a row; with pieces, two trees over the largest.
/// Bytes   m (p - 1) / p sent per rank if rows are equal; m = bytes of the vector.
/// Scratch p / n blocks or, on a rank that works for others, the vector, and what the phases need.
/// Order   rank if split and lane keep it: rows are runs of ranks and are combined in their order.
/// Valid   p >= rows, and what split and lane accept; blocks of any sizes.
/// Source  [traeff2020]; unequal rows are ours.

#include "espalier/algorithms/reduce_scatter/parts/lane_sums.hpp"

namespace espalier::algorithms {
namespace {

constexpr LaneAlgorithms fallbacks{
    .split = "reduce_scatter/ring",
    .lane = "reduce_scatter/ring",
    .join = {},
};

struct Plan : LaneSums {
  explicit Plan(Request const& request)
      : LaneSums{MultiLane::parse(request, fallbacks), FirstPhase::split} {}
};

schedule::RankProgram generate(Request const& request, int rank) {
  return Plan(request).program(rank);
}

}  // namespace

extern Algorithm const reduce_scatter_multi_lane{
    .collective = Collective::reduce_scatter,
    .name = "multi_lane",
    .summary = "rows deal out the sums of combs of blocks, every lane the blocks of its comb",
    .source = "traeff2020",
    .valid = "at least as many ranks as rows, and what split and lane accept",
    .parameters = multi_lane_parameters(fallbacks),
    .refuses = [](Request const& request) { return refuses_plan<Plan>(request); },
    .generate = generate,
    .facts = [](Request const& request) { return facts_of_plan<Plan>(request, generate); },
    .rounds = [](Request const& request) { return rounds_of_plan<Plan>(request); },
    .order = [](Request const& request) { return order_of_plan<Plan>(request); },
    .variants = [](Request const& request
                ) { return multi_lane_variants(request, Collective::reduce_scatter); },
};

}  // namespace espalier::algorithms
