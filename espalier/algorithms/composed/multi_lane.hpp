// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the multi-lane algorithms of all collectives share: the data of a row are dealt to its
/// lanes, every lane works with the same lane of the other rows, and the row joins the results.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/algorithms/composed/groups.hpp"
#include "espalier/algorithms/composed/phases.hpp"

namespace espalier::algorithms {

/// Algorithms of the phases, as in "allgather/ring"; split or join is empty if there is none.
struct LaneAlgorithms {
  std::string_view split;
  std::string_view lane;
  std::string_view join;
  int num_lanes = 0;  ///< 0: one for each rank of the smallest row
};

/// Which phase comes first, `lane` between rows or `split` within rows.
enum class FirstPhase { lane, split };

/// Rows with their lanes, and an algorithm for each phase among leaders of pieces. `split` deals
/// out within a row, `lane` works between rows, `join` brings together within a row.
struct MultiLane {
  Groups groups;
  int num_lanes = 0;  ///< 0: as many as the smallest row has ranks
  int root = 0;
  std::optional<Choice> split;
  std::optional<Choice> lane;
  std::optional<Choice> join;

  /// From the arguments `rows` or `sizes`, `lanes`, `split`, `lane` and `join`.
  static MultiLane parse(Request const& request, LaneAlgorithms const& fallbacks);

  /// Empty if there are such rows and lanes; lanes() needs that it is empty.
  [[nodiscard]] std::string refuses() const;
  [[nodiscard]] Lanes lanes() const;

private:
  /// Whether the leaders of pieces do not depend on the root, nor their number on the row.
  [[nodiscard]] bool has_fixed_lanes() const;
};

/// One rank in the grid of leaders.
class LanePlace {
public:
  LanePlace(Lanes const& lanes, int rank, int root);

  [[nodiscard]] int row() const noexcept { return row_; }

  [[nodiscard]] int lane() const noexcept { return lane_; }

  [[nodiscard]] RankRange piece() const noexcept { return piece_; }

  [[nodiscard]] bool is_leader() const noexcept { return leader_ == rank_; }

  [[nodiscard]] bool is_root() const noexcept { return root_ == rank_; }

  [[nodiscard]] bool is_in_root_row() const noexcept { return root_row_ == row_; }

  /// Phases without their blocks: among the ranks of the own piece, to or from its leader; among
  /// the leaders of the own row; among those of the own lane.
  [[nodiscard]] Phase in_piece(Choice const& algorithm) const;
  [[nodiscard]] Phase in_row(Choice const& algorithm) const;
  [[nodiscard]] Phase in_lane(Choice const& algorithm) const;

private:
  Lanes const& lanes_;
  int rank_;
  int root_;
  int row_;
  int lane_;
  int root_row_;
  RankRange piece_;
  int leader_;
};

/// Where a rank keeps parts of others in a gather or scatter: those of its lane in the root's row,
/// those of its piece otherwise. The root has all in its output; who keeps only its own part, too.
class LaneStore {
public:
  /// Adds scratch where the output cannot hold the parts.
  LaneStore(schedule::Builder& builder, Lanes const& lanes, LanePlace const& own);

  /// True if parts are not in the output.
  [[nodiscard]] bool is_apart() const noexcept { return is_apart_; }

  [[nodiscard]] schedule::BlockMap parts_of_piece() const;
  /// Pieces of the own lane, by row.
  [[nodiscard]] schedule::BlockMap parts_of_rows() const;
  /// All parts of a lane, by lane.
  [[nodiscard]] schedule::BlockMap parts_of_lanes() const;

private:
  /// Parts of the own lane's piece in a row.
  [[nodiscard]] schedule::Slot piece(int row) const;

  Lanes const& lanes_;
  LanePlace const& own_;
  bool is_apart_;
  bool has_lane_;
  schedule::Slot slot_;
};

/// The stages of these phases: blocks in a phase stand for `weight` blocks, 0 if not all for as
/// many.
[[nodiscard]] Stage piece_stage(Choice const& algorithm, Lanes const& lanes, std::int64_t weight);
[[nodiscard]] Stage
row_stage(Choice const& algorithm, Lanes const& lanes, int root, std::int64_t weight);
[[nodiscard]] Stage
lane_stage(Choice const& algorithm, Lanes const& lanes, int root, std::int64_t weight);

/// What Algorithm wants to know, of a plan: a type made from a request, with `multi`, a MultiLane,
/// and `stages(lanes)`, all phases in their order.
template <typename Plan> [[nodiscard]] std::string refuses_plan(Request const& request) {
  Plan const plan(request);
  std::string const reason = plan.multi.refuses();
  return reason.empty() ? refuses(plan.stages(plan.multi.lanes())) : reason;
}

template <typename Plan>
[[nodiscard]] Facts
facts_of_plan(Request const& request, schedule::RankProgram (*generate)(Request const&, int)) {
  Plan const plan(request);
  return with_counts(sum_of(plan.stages(plan.multi.lanes())), request, generate);
}

template <typename Plan> [[nodiscard]] int rounds_of_plan(Request const& request) {
  Plan const plan(request);
  return sum_of_rounds(plan.stages(plan.multi.lanes()));
}

template <typename Plan> [[nodiscard]] OperandOrder order_of_plan(Request const& request) {
  Plan const plan(request);
  return weakest_order(plan.stages(plan.multi.lanes()));
}

/// The parameters rows, sizes, lanes, split, lane and join.
[[nodiscard]] std::vector<Parameter> multi_lane_parameters(LaneAlgorithms const& fallbacks);
/// Argument lists for a tuner: few layouts, and with fewer lanes than ranks in a row what is tried
/// between rows.
/// @param lane the collective of that phase
[[nodiscard]] std::vector<std::string> multi_lane_variants(Request const& request, Collective lane);

}  // namespace espalier::algorithms
