// SPDX-License-Identifier: Apache-2.0

/// @file
/// Multi-lane scatter: the root deals out combs of parts to its row of consecutive ranks, each rank
/// of it then scatters to those at its place in the other rows.
///
///     sent, p = 6     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     round 0         2:25     -        -        -        -        -
///     round 1         1:14     -        -        -        -        -
///     round 2         3:3      4:4      5:5      -        -        -
///
/// Rows are meant to be nodes: all ranks of the root's node share what goes to other nodes. Unequal
/// rows are cut into as many nearly equal pieces as the smallest row has ranks, and any rows into
/// `lanes` pieces; one rank of a piece works for it and scatters to it along a binomial tree.
///
/// Rounds  split(n) + lane(p / n), n = ranks of a row, and a tree over the largest piece.
/// Bytes   m (p - 1) / p sent by the root, m = bytes of all parts; m / n of them per lane.
/// Scratch the parts of its lane on a rank of the root's row, those of its piece on another rank
///         that works for others, and what the phases need.
/// Valid   p >= rows, and what split and lane accept; any root; parts of any sizes.
/// Source  [traeff2020]; unequal rows are ours.

#include "espalier/algorithms/composed/multi_lane.hpp"

#include <utility>

namespace espalier::algorithms {
namespace {

constexpr LaneAlgorithms fallbacks{
    .split = "scatter/binomial",
    .lane = "scatter/binomial",
    .join = {},
};

struct Plan {
  MultiLane multi;
  Choice down = Choice::parse("scatter/binomial");

  explicit Plan(Request const& request) : multi(MultiLane::parse(request, fallbacks)) {}

  [[nodiscard]] std::vector<Stage> stages(Lanes const& lanes) const {
    bool const are_single = lanes.are_single();
    return {
        row_stage(*multi.split, lanes, multi.root, are_single ? lanes.num_rows() : 0),
        lane_stage(*multi.lane, lanes, multi.root, are_single ? 1 : 0),
        piece_stage(down, lanes, 1),
    };
  }
};

schedule::RankProgram generate(Request const& request, int rank) {
  Plan const plan(request);
  Lanes const lanes = plan.multi.lanes();
  std::vector<Stage> const stages = plan.stages(lanes);
  LanePlace const own(lanes, rank, request.root);
  int const p = request.num_ranks;
  Phases phases(Collective::scatter, output_frame(p, p), rank);
  LaneStore const store(phases.builder(), lanes, own);
  Phase down = own.in_piece(plan.down).on({schedule::blocks(own.piece().begin), 1});
  if (store.is_apart()) {
    down.from = store.parts_of_piece();
  }
  bool const splits = own.is_leader() && own.is_in_root_row();
  phases.run_stage(stages[0], splits, own.in_row(*plan.multi.split).on(store.parts_of_lanes()));
  phases.run_stage(
      stages[1], own.is_leader(), own.in_lane(*plan.multi.lane).on(store.parts_of_rows())
  );
  phases.run_stage(stages[2], true, down);
  return std::move(phases).finish();
}

}  // namespace

extern Algorithm const scatter_multi_lane{
    .collective = Collective::scatter,
    .name = "multi_lane",
    .summary = "the root deals out combs of parts to its row, every lane scatters its comb",
    .source = "traeff2020",
    .valid = "at least as many ranks as rows, and what split and lane accept",
    .parameters = multi_lane_parameters(fallbacks),
    .refuses = [](Request const& request) { return refuses_plan<Plan>(request); },
    .generate = generate,
    .facts = [](Request const& request) { return facts_of_plan<Plan>(request, generate); },
    .rounds = [](Request const& request) { return rounds_of_plan<Plan>(request); },
    .variants = [](Request const& request
                ) { return multi_lane_variants(request, Collective::scatter); },
};

}  // namespace espalier::algorithms
