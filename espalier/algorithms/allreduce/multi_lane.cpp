// SPDX-License-Identifier: Apache-2.0

/// @file
/// Multi-lane allreduce: every row of consecutive ranks runs a reduce-scatter, each rank then an
/// allreduce of its share with those at its place in the other rows, and rows an allgather.
///
///     sent, p = 4     rank 0      rank 1      rank 2      rank 3
///     round 0         1:1(0)      0:0(1)      3:1(2)      2:0(3)
///     round 1         2:0(01)     3:1(01)     0:0(23)     1:1(23)
///     round 2         1:0(0123)   0:1(0123)   3:0(0123)   2:1(0123)
///
/// Rows are meant to be nodes: all ranks of a node share what goes between nodes. Unequal rows are
/// cut into as many nearly equal pieces as the smallest row has ranks, and any rows into `lanes`
/// pieces; the first rank of a piece works for it, along binomial trees before and after.
///
/// Rounds  split(n) + lane(p / n) + join(n), n = ranks of a row, and two trees over the largest
///         piece.
/// Bytes   m (n - 1) / n each for split and join, and lane for a vector of m / n; m = bytes of the
///         vector.
/// Scratch what the phases need, one after the other.
/// Order   rank if split and lane keep it: rows are runs of ranks and are combined in their order.
/// Valid   p >= rows, and what split, lane and join accept.
/// Source  [traeff2020]; unequal rows are ours.

#include "espalier/algorithms/composed/multi_lane.hpp"

#include <utility>

namespace espalier::algorithms {
namespace {

constexpr LaneAlgorithms fallbacks{
    .split = "reduce_scatter/ring",
    .lane = "allreduce/recursive_doubling",
    .join = "allgather/ring",
};

/// The phases, with trees for the ranks that do not lead a piece.
struct Plan {
  MultiLane multi;
  Choice up = Choice::parse("reduce/binomial");
  Choice down = Choice::parse("bcast/binomial");

  explicit Plan(Request const& request) : multi(MultiLane::parse(request, fallbacks)) {}

  [[nodiscard]] int blocks_per_lane(Lanes const& lanes) const {
    return multi.lane->num_pieces(lanes.num_rows());
  }

  [[nodiscard]] std::vector<Stage> stages(Lanes const& lanes) const {
    int const share = blocks_per_lane(lanes);
    return {
        piece_stage(up, lanes, share * lanes.num_lanes()),
        row_stage(*multi.split, lanes, 0, share),
        lane_stage(*multi.lane, lanes, 0, 1),
        row_stage(*multi.join, lanes, 0, share),
        piece_stage(down, lanes, share * lanes.num_lanes()),
    };
  }
};

schedule::RankProgram generate(Request const& request, int rank) {
  Plan const plan(request);
  Lanes const lanes = plan.multi.lanes();
  std::vector<Stage> const stages = plan.stages(lanes);
  LanePlace const own(lanes, rank, 0);
  int const share = plan.blocks_per_lane(lanes);
  int const num_blocks = share * lanes.num_lanes();
  schedule::Slot const vector = schedule::blocks(0, num_blocks);
  schedule::Slot const own_share = schedule::blocks(own.lane() * share, share);
  schedule::BlockMap const shares = cut(vector, lanes.num_lanes());
  bool const leads = own.is_leader();
  Phases phases(Collective::allreduce, output_frame(request.num_ranks, num_blocks), rank);
  phases.run_stage(stages[0], true, own.in_piece(plan.up).on(cut(vector, 1)));
  phases.run_stage(stages[1], leads, own.in_row(*plan.multi.split).on(shares));
  phases.run_stage(stages[2], leads, own.in_lane(*plan.multi.lane).on(cut(own_share, share)));
  phases.run_stage(stages[3], leads, own.in_row(*plan.multi.join).on(shares));
  phases.run_stage(stages[4], true, own.in_piece(plan.down).on(cut(vector, 1)));
  return std::move(phases).finish();
}

}  // namespace

extern Algorithm const allreduce_multi_lane{
    .collective = Collective::allreduce,
    .name = "multi_lane",
    .summary = "rows deal out shares of their sums, every lane sums its share, rows join them",
    .source = "traeff2020",
    .valid = "at least as many ranks as rows, and what split, lane and join accept",
    .parameters = multi_lane_parameters(fallbacks),
    .refuses = [](Request const& request) { return refuses_plan<Plan>(request); },
    .generate = generate,
    .facts = [](Request const& request) { return facts_of_plan<Plan>(request, generate); },
    .rounds = [](Request const& request) { return rounds_of_plan<Plan>(request); },
    .order = [](Request const& request) { return order_of_plan<Plan>(request); },
    .num_pieces =
        [](Request const& request) {
          Plan const plan(request);
          Lanes const lanes = plan.multi.lanes();
          return plan.blocks_per_lane(lanes) * lanes.num_lanes();
        },
    .variants = [](Request const& request
                ) { return multi_lane_variants(request, Collective::allreduce); },
};

}  // namespace espalier::algorithms
