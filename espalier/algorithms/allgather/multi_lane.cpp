// SPDX-License-Identifier: Apache-2.0

/// @file
/// Multi-lane allgather: every rank first works with those at its place in the other rows of
/// consecutive ranks, then rows exchange what their ranks have, combs of blocks.
///
///     blocks held, p = 4     rank 0   rank 1   rank 2   rank 3
///     start                  0        1        2        3
///     after round 0          02       13       02       13
///     after round 1          0123     0123     0123     0123
///
/// Rows are meant to be nodes: between nodes a rank gets one block of each, not whole rows as in
/// the orthogonal form. Unequal rows are cut into as many nearly equal pieces as the smallest row
/// has ranks, and any rows into `lanes` pieces: these run an allgather first, their first rank
/// works for them, and hands the blocks of others on along a binomial tree.
///
/// Rounds  lane(p / n) + join(n), n = ranks of a row; with pieces, an allgather and a tree over the
///         largest.
/// Bytes   m (p - 1) / p sent per rank if rows are equal; m = bytes of the gathered result.
/// Valid   p >= rows, and what lane and join accept; blocks of any sizes.
/// Source  [traeff2020]; unequal rows are ours.

#include "espalier/algorithms/composed/multi_lane.hpp"

#include <utility>

namespace espalier::algorithms {
namespace {

constexpr LaneAlgorithms fallbacks{.split = {}, .lane = "allgather/ring", .join = "allgather/ring"};

struct Plan {
  MultiLane multi;
  Choice up = Choice::parse("allgather/bruck");
  Choice down = Choice::parse("bcast/binomial");

  explicit Plan(Request const& request) : multi(MultiLane::parse(request, fallbacks)) {}

  /// Without phases within pieces, if all are single ranks.
  [[nodiscard]] std::vector<Stage> stages(Lanes const& lanes) const {
    bool const are_single = lanes.are_single();
    std::vector<Stage> result{
        lane_stage(*multi.lane, lanes, 0, are_single ? 1 : 0),
        row_stage(*multi.join, lanes, 0, are_single ? lanes.num_rows() : 0),
    };
    if (!are_single && lanes.num_rows() * lanes.num_lanes() > 1) {
      result.push_back(piece_stage(up, lanes, 0));
      result.push_back(piece_stage(down, lanes, 0));
    } else if (!are_single) {
      result.push_back(piece_stage(up, lanes, 1));
    }
    return result;
  }
};

schedule::RankProgram generate(Request const& request, int rank) {
  Plan const plan(request);
  Lanes const lanes = plan.multi.lanes();
  std::vector<Stage> const stages = plan.stages(lanes);
  LanePlace const own(lanes, rank, 0);
  int const p = request.num_ranks;
  RankRange const piece = own.piece();
  auto const piece_of_row = [&](int row) {
    RankRange const run = lanes.piece(row, own.lane());
    return schedule::blocks(run.begin, run.size);
  };
  auto const blocks_of_lane = [&](int lane) { return lanes.lane_blocks(lane); };
  Phases phases(Collective::allgather, output_frame(p, p), rank);
  if (stages.size() > 2) {
    Phase const up = own.in_piece(plan.up).on({schedule::blocks(piece.begin), 1});
    phases.run_stage(stages[2], true, up);
  }
  bool const leads = own.is_leader();
  phases.run_stage(stages[0], leads, own.in_lane(*plan.multi.lane).on(piece_of_row));
  phases.run_stage(stages[1], leads, own.in_row(*plan.multi.join).on(blocks_of_lane));
  if (stages.size() > 3) {
    schedule::Slot const others = schedule::blocks(piece.end(), p - piece.size);
    phases.run_stage(stages[3], true, own.in_piece(plan.down).on(cut(others, 1)));
  }
  return std::move(phases).finish();
}

}  // namespace

extern Algorithm const allgather_multi_lane{
    .collective = Collective::allgather,
    .name = "multi_lane",
    .summary = "first between rows, each rank with those at its place, then combs within rows",
    .source = "traeff2020",
    .valid = "at least as many ranks as rows, and what lane and join accept",
    .parameters = multi_lane_parameters(fallbacks),
    .refuses = [](Request const& request) { return refuses_plan<Plan>(request); },
    .generate = generate,
    .facts = [](Request const& request) { return facts_of_plan<Plan>(request, generate); },
    .rounds = [](Request const& request) { return rounds_of_plan<Plan>(request); },
    .variants = [](Request const& request
                ) { return multi_lane_variants(request, Collective::allgather); },
};

}  // namespace espalier::algorithms
