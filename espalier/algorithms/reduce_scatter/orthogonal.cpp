// SPDX-License-Identifier: Apache-2.0

/// @file
/// Orthogonal reduce-scatter: every rank first works with those at its place in the other rows of
/// consecutive ranks, on whole rows of blocks, then rows deal out the sums of their blocks.
///
///     sent, p = 4     rank 0    rank 1    rank 2    rank 3
///     round 0         2:23(0)   3:23(1)   0:01(2)   1:01(3)
///     round 1         1:1(02)   0:0(13)   3:3(02)   2:2(13)
///
/// The orthogonal allgather backwards: blocks of a message are next to each other, but whole rows
/// go between rows, and sums are not in rank order; reduce_scatter/multi_lane has it the other way
/// round. Unequal rows are cut into as many nearly equal pieces as the smallest row has ranks:
/// these reduce to their first rank, which works for them and scatters the results.
///
/// Rounds  across(p / n) + inner(n), n = ranks of a row; with pieces, two trees over the largest.
/// Bytes   m (p - 1) / p sent per rank if rows are equal; m = bytes of the vector.
/// Scratch n blocks or, on a rank that works for others, the vector, and what the phases need.
/// Order   any: columns of ranks are combined first.
/// Valid   p >= rows, and what inner and across accept; blocks of any sizes.
/// Source  [kuehnemann2004] for other collectives.

#include "espalier/algorithms/composed/orthogonal.hpp"

#include "espalier/algorithms/reduce_scatter/parts/lane_sums.hpp"

namespace espalier::algorithms {
namespace {

constexpr std::string_view default_inner = "ring";

MultiLane lanes_of(Orthogonal const& parts) {
  return {
      .groups = parts.groups,
      .num_lanes = 0,
      .root = 0,
      .split = parts.inner,
      .lane = parts.across,
      .join = std::nullopt,
  };
}

struct Plan : LaneSums {
  explicit Plan(Request const& request)
      : LaneSums{
            lanes_of(Orthogonal::parse(Collective::reduce_scatter, request, default_inner)),
            FirstPhase::lane
        } {}
};

schedule::RankProgram generate(Request const& request, int rank) {
  return Plan(request).program(rank);
}

}  // namespace

extern Algorithm const reduce_scatter_orthogonal{
    .collective = Collective::reduce_scatter,
    .name = "orthogonal",
    .summary = "first between rows, whole rows as blocks, then within rows of consecutive ranks",
    .source = "kuehnemann2004",
    .valid = "at least as many ranks as rows, and what inner and across accept",
    .parameters = orthogonal_parameters(default_inner),
    .refuses = [](Request const& request) { return refuses_plan<Plan>(request); },
    .generate = generate,
    .facts = [](Request const& request) { return facts_of_plan<Plan>(request, generate); },
    .rounds = [](Request const& request) { return rounds_of_plan<Plan>(request); },
    .variants =
        [](Request const& request) {
          return layout_variants(
              request.num_ranks, "inner", Collective::reduce_scatter, Tried::within_rows, false
          );
        },
};

}  // namespace espalier::algorithms
