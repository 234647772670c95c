// SPDX-License-Identifier: Apache-2.0

/// @file
/// Multi-lane gather: every rank of the root's row of consecutive ranks gathers from those at its
/// place in the other rows, then the root gathers combs of parts from its row.
///
///     sent, p = 6     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     round 0         -        -        -        0:3      1:4      2:5
///     round 1         -        0:14     -        -        -        -
///     round 2         -        -        0:25     -        -        -
///
/// Rows are meant to be nodes: all ranks of the root's node share what comes from other nodes.
/// Unequal rows are cut into as many nearly equal pieces as the smallest row has ranks, and any
/// rows into `lanes` pieces; one rank of a piece works for it and gathers from it along a binomial
/// tree.
///
/// Rounds  lane(p / n) + join(n), n = ranks of a row, and a tree over the largest piece.
/// Bytes   m (p - 1) / p received by the root, m = bytes of all parts; m / n of them per lane.
/// Scratch the parts of its lane on a rank of the root's row, those of its piece on another rank
///         that works for others, and what the phases need.
/// Valid   p >= rows, and what lane and join accept; any root; parts of any sizes.
/// Source  [traeff2020]; unequal rows are ours.

#include "espalier/algorithms/composed/multi_lane.hpp"

#include <utility>

namespace espalier::algorithms {
namespace {

constexpr LaneAlgorithms fallbacks{
    .split = {}, .lane = "gather/binomial", .join = "gather/binomial"
};

struct Plan {
  MultiLane multi;
  Choice up = Choice::parse("gather/binomial");

  explicit Plan(Request const& request) : multi(MultiLane::parse(request, fallbacks)) {}

  [[nodiscard]] std::vector<Stage> stages(Lanes const& lanes) const {
    bool const are_single = lanes.are_single();
    return {
        piece_stage(up, lanes, 1),
        lane_stage(*multi.lane, lanes, multi.root, are_single ? 1 : 0),
        row_stage(*multi.join, lanes, multi.root, are_single ? lanes.num_rows() : 0),
    };
  }
};

schedule::RankProgram generate(Request const& request, int rank) {
  Plan const plan(request);
  Lanes const lanes = plan.multi.lanes();
  std::vector<Stage> const stages = plan.stages(lanes);
  LanePlace const own(lanes, rank, request.root);
  int const p = request.num_ranks;
  Phases phases(Collective::gather, output_frame(p, p), rank);
  LaneStore const store(phases.builder(), lanes, own);
  Phase up = own.in_piece(plan.up).on(store.parts_of_piece());
  if (store.is_apart()) {
    up.from = {schedule::blocks(own.piece().begin), 1};
  }
  bool const joins = own.is_leader() && own.is_in_root_row();
  phases.run_stage(stages[0], true, up);
  phases.run_stage(
      stages[1], own.is_leader(), own.in_lane(*plan.multi.lane).on(store.parts_of_rows())
  );
  phases.run_stage(stages[2], joins, own.in_row(*plan.multi.join).on(store.parts_of_lanes()));
  return std::move(phases).finish();
}

}  // namespace

extern Algorithm const gather_multi_lane{
    .collective = Collective::gather,
    .name = "multi_lane",
    .summary = "every lane gathers to the root's row, then the root gathers combs from its row",
    .source = "traeff2020",
    .valid = "at least as many ranks as rows, and what lane and join accept",
    .parameters = multi_lane_parameters(fallbacks),
    .refuses = [](Request const& request) { return refuses_plan<Plan>(request); },
    .generate = generate,
    .facts = [](Request const& request) { return facts_of_plan<Plan>(request, generate); },
    .rounds = [](Request const& request) { return rounds_of_plan<Plan>(request); },
    .variants = [](Request const& request
                ) { return multi_lane_variants(request, Collective::gather); },
};

}  // namespace espalier::algorithms
