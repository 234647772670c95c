// SPDX-License-Identifier: Apache-2.0

/// @file
/// Multi-lane reduction: every row of consecutive ranks runs a reduce-scatter, each rank then
/// reduces its share to the one at its place in the root's row, and that row gathers to the root.
///
///     sent, p = 4     rank 0   rank 1      rank 2    rank 3
///     round 0         1:1(0)   0:0(1)      3:1(2)    2:0(3)
///     round 1         -        -           0:0(23)   1:1(23)
///     round 2         -        0:1(0123)   -         -
///
/// Rows are meant to be nodes: all ranks of a node share what goes between nodes. Unequal rows are
/// cut into as many nearly equal pieces as the smallest row has ranks, and any rows into `lanes`
/// pieces; one rank of a piece works for it, to which the others reduce along a binomial tree.
///
/// Rounds  split(n) + lane(p / n) + join(n), n = ranks of a row, and a tree over the largest piece.
/// Bytes   m (n - 1) / n each for split and, received by the root, join, and lane for a vector of
///         m / n; m = bytes of the vector.
/// Scratch a share on every rank but the root, a vector on a rank that works for others, and what
///         the phases need.
/// Order   rank if split and lane keep it: rows are runs of ranks and are combined in their order.
/// Valid   p >= rows, and what split, lane and join accept; any root.
/// Source  [traeff2020]; unequal rows are ours.

#include "espalier/algorithms/composed/multi_lane.hpp"

#include <string>
#include <utility>
#include <vector>

namespace espalier::algorithms {
namespace {

constexpr LaneAlgorithms fallbacks{
    .split = "reduce_scatter/ring",
    .lane = "reduce/binomial",
    .join = "gather/binomial",
};

struct Plan {
  MultiLane multi;
  Choice up = Choice::parse("reduce/binomial");

  explicit Plan(Request const& request) : multi(MultiLane::parse(request, fallbacks)) {}

  [[nodiscard]] int share(Lanes const& lanes) const {
    return multi.lane->num_pieces(lanes.num_rows());
  }

  [[nodiscard]] std::vector<Stage> stages(Lanes const& lanes) const {
    int const blocks = share(lanes);
    return {
        piece_stage(up, lanes, blocks * lanes.num_lanes()),
        row_stage(*multi.split, lanes, multi.root, blocks),
        lane_stage(*multi.lane, lanes, multi.root, 1),
        row_stage(*multi.join, lanes, multi.root, blocks),
    };
  }
};

schedule::RankProgram generate(Request const& request, int rank) {
  Plan const plan(request);
  Lanes const lanes = plan.multi.lanes();
  std::vector<Stage> const stages = plan.stages(lanes);
  LanePlace const own(lanes, rank, request.root);
  int const share = plan.share(lanes);
  int const num_blocks = share * lanes.num_lanes();
  Phases phases(Collective::reduce, output_frame(request.num_ranks, num_blocks), rank);
  schedule::Slot const contribution = schedule::blocks(0, num_blocks);
  bool const leads = own.is_leader();
  // The sums of the piece, and the share of the row's: on the root in their final place.
  bool const sums_apart = leads && !own.is_root() && own.piece().size > 1;
  schedule::Slot const sums = sums_apart ? phases.builder().scratch(contribution) : contribution;
  schedule::Slot own_share = schedule::blocks(own.lane() * share, share);
  if (leads && !own.is_root()) {
    own_share = phases.builder().scratch(own_share);
  }
  auto const shares = [&](int lane) {
    return lane == own.lane() ? own_share : schedule::blocks(lane * share, share);
  };
  schedule::BlockMap const from =
      own.is_root() ? schedule::BlockMap() : cut(sums, lanes.num_lanes());
  Phase up = own.in_piece(plan.up).on(cut(sums, 1));
  if (sums_apart) {
    up.from = cut(contribution, 1);
  }
  phases.run_stage(stages[0], true, up);
  phases.run_stage(stages[1], leads, own.in_row(*plan.multi.split).on(shares, from));
  phases.run_stage(stages[2], leads, own.in_lane(*plan.multi.lane).on(cut(own_share, share)));
  phases.run_stage(
      stages[3], leads && own.is_in_root_row(), own.in_row(*plan.multi.join).on(shares)
  );
  return std::move(phases).finish();
}

/// One row of all ranks is a reduce-scatter and a gather, with more than two ranks in a group.
constexpr std::string_view in_parts = "[rows=1,split=recursive_dividing,join=k_nomial[k=4]]";

std::vector<std::string> variants(Request const& request) {
  std::vector<std::string> result = multi_lane_variants(request, Collective::reduce);
  if (request.num_ranks > 4) {
    result.emplace_back(in_parts);
  }
  return result;
}

}  // namespace

extern Algorithm const reduce_multi_lane{
    .collective = Collective::reduce,
    .name = "multi_lane",
    .summary = "rows deal out shares of their sums, every lane reduces its share, the root gathers",
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
          return plan.share(lanes) * lanes.num_lanes();
        },
    .variants = variants,
    .phase_variants = {{.tried = Tried::in_groups, .arguments = in_parts, .turn = 3}},
};

}  // namespace espalier::algorithms
