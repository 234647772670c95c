// SPDX-License-Identifier: Apache-2.0

/// @file
/// Multi-lane broadcast: the root scatters within its row of consecutive ranks, every rank of it
/// broadcasts its share to those at its place in the other rows, and rows run an allgather.
///
///     blocks held, p = 4     rank 0   rank 1   rank 2   rank 3
///     start                  01       -        -        -
///     after round 0          01       1        -        -
///     after round 1          01       1        0        1
///     after round 2          01       01       01       01
///
/// Rows are meant to be nodes: all ranks of a node share what goes between nodes. In the allgather
/// of its row nothing is sent to the root. Unequal rows are cut into as many nearly equal pieces as
/// the smallest row has ranks, and any rows into `lanes` pieces; one rank of a piece works for it
/// and hands the message on along a binomial tree.
///
/// Rounds  split(n) + lane(p / n) + join(n), n = ranks of a row, and a tree over the largest piece.
/// Bytes   at most 2 m (n - 1) / n, and what lane sends of m / n, by the root; m = bytes of the
///         message.
/// Scratch what split needs.
/// Valid   p >= rows, and what split, lane and join accept; join must not use scratch; any root.
/// Source  [traeff2020]; unequal rows are ours.

#include "espalier/algorithms/composed/multi_lane.hpp"

#include <algorithm>
#include <utility>

namespace espalier::algorithms {
namespace {

constexpr LaneAlgorithms fallbacks{
    .split = "scatter/binomial",
    .lane = "bcast/binomial",
    .join = "allgather/ring",
};

struct Plan {
  MultiLane multi;
  Choice down = Choice::parse("bcast/binomial");

  explicit Plan(Request const& request) : multi(MultiLane::parse(request, fallbacks)) {}

  [[nodiscard]] int share(Lanes const& lanes) const {
    return multi.lane->num_pieces(lanes.num_rows());
  }

  [[nodiscard]] std::vector<Stage> stages(Lanes const& lanes) const {
    int const blocks = share(lanes);
    // In a single row the root has all, so that the most that a rank gets is not that of join.
    int const join_weight = lanes.num_rows() > 1 || lanes.num_lanes() == 1 ? blocks : 0;
    return {
        row_stage(*multi.split, lanes, multi.root, blocks),
        lane_stage(*multi.lane, lanes, multi.root, 1),
        row_stage(*multi.join, lanes, multi.root, join_weight),
        piece_stage(down, lanes, blocks * lanes.num_lanes()),
    };
  }
};

std::string refuses(Request const& request) {
  std::string reason = refuses_plan<Plan>(request);
  if (reason.empty()) {
    Plan const plan(request);
    int const num_lanes = plan.multi.lanes().num_lanes();
    std::optional<Choice> const& join = plan.multi.join;
    if (join && uses_scratch(*join, num_lanes)) {
      reason = "join=" + std::string(join->algorithm().name) + " uses scratch";
    }
  }
  return reason;
}

schedule::RankProgram generate(Request const& request, int rank) {
  Plan const plan(request);
  Lanes const lanes = plan.multi.lanes();
  std::vector<Stage> const stages = plan.stages(lanes);
  LanePlace const own(lanes, rank, request.root);
  int const share = plan.share(lanes);
  schedule::Slot const message = schedule::blocks(0, share * lanes.num_lanes());
  schedule::Slot const own_share = schedule::blocks(own.lane() * share, share);
  schedule::BlockMap const shares = cut(message, lanes.num_lanes());
  Phase join = own.in_row(*plan.multi.join).on(shares);
  join.root_has_all = own.is_in_root_row();
  bool const leads = own.is_leader();
  Phases phases(Collective::bcast, output_frame(request.num_ranks, message.num_blocks), rank);
  phases.run_stage(
      stages[0], leads && own.is_in_root_row(), own.in_row(*plan.multi.split).on(shares)
  );
  phases.run_stage(stages[1], leads, own.in_lane(*plan.multi.lane).on(cut(own_share, share)));
  phases.run_stage(stages[2], leads, join);
  phases.run_stage(stages[3], true, own.in_piece(plan.down).on(cut(message, 1)));
  return std::move(phases).finish();
}

}  // namespace

extern Algorithm const bcast_multi_lane{
    .collective = Collective::bcast,
    .name = "multi_lane",
    .summary = "the root's row deals out shares, every lane broadcasts its share, rows join them",
    .source = "traeff2020",
    .valid = "at least as many ranks as rows, and what split, lane and join accept",
    .parameters = multi_lane_parameters(fallbacks),
    .refuses = refuses,
    .generate = generate,
    .facts = [](Request const& request) { return facts_of_plan<Plan>(request, generate); },
    .rounds = [](Request const& request) { return rounds_of_plan<Plan>(request); },
    .num_pieces =
        [](Request const& request) {
          Plan const plan(request);
          Lanes const lanes = plan.multi.lanes();
          return plan.share(lanes) * lanes.num_lanes();
        },
    .variants = [](Request const& request
                ) { return multi_lane_variants(request, Collective::bcast); },
};

}  // namespace espalier::algorithms
