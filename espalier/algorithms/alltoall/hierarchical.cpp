// SPDX-License-Identifier: Apache-2.0

/// @file
/// Hierarchical alltoall: every row of consecutive ranks gathers all its blocks on its first rank,
/// these leaders exchange what is for each other's rows, and scatter it.
///
///     sent, p = 4     rank 0          rank 1          rank 2          rank 3
///     round 0         -               0:10,11,12,13   -               2:30,31,32,33
///     round 1         2:02,03,12,13   -               0:20,21,30,31   -
///     round 2         1:01,11,21,31   -               3:03,13,23,33   -
///
/// Rows are meant to be nodes: one message between two nodes. With lanes=g a row has g leaders,
/// each for a piece of it (multi-leader); with a leader for each rank it is the node-aware
/// alltoall.
///
/// Rounds  2 ceil(log2 n) + lane(p / n), n = ranks of a row; with more leaders also split(lanes).
/// Bytes   n m (p - n) / p between rows by a leader; m = bytes of all blocks of a rank.
/// Scratch about 3 n p blocks on a leader, and what gather and scatter trees need.
/// Valid   p >= rows, and what split and lane accept; blocks of the same size.
/// Source  [kumar2008]; unequal rows are ours.

#include "espalier/algorithms/alltoall/parts/lane_exchange.hpp"

namespace espalier::algorithms {
namespace {

constexpr LaneAlgorithms fallbacks{
    .split = "alltoall/pairwise",
    .lane = "alltoall/pairwise",
    .join = {},
    .num_lanes = 1,
};

struct Plan : LaneExchange {
  explicit Plan(Request const& request)
      : LaneExchange{MultiLane::parse(request, fallbacks), FirstPhase::lane} {}
};

schedule::RankProgram generate(Request const& request, int rank) {
  return Plan(request).program(rank);
}

}  // namespace

extern Algorithm const alltoall_hierarchical{
    .collective = Collective::alltoall,
    .name = "hierarchical",
    .summary = "rows gather to leaders, which exchange what is for their rows and scatter it",
    .source = "kumar2008",
    .valid = "at least as many ranks as rows, and what split and lane accept",
    .parameters = multi_lane_parameters(fallbacks),
    .equal_blocks_only = true,
    .refuses = [](Request const& request) { return refuses_plan<Plan>(request); },
    .generate = generate,
    .facts = [](Request const& request) { return facts_of_plan<Plan>(request, generate); },
    .rounds = [](Request const& request) { return rounds_of_plan<Plan>(request); },
    .variants = [](Request const& request
                ) { return multi_lane_variants(request, Collective::alltoall); },
};

}  // namespace espalier::algorithms
