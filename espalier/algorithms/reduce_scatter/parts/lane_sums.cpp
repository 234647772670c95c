// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/reduce_scatter/parts/lane_sums.hpp"

#include <utility>

namespace espalier::algorithms {
namespace {

using schedule::Slot;

/// The program of one rank.
class Sums {
public:
  Sums(LaneSums const& plan, int rank)
      : plan_(plan), lanes_(plan.multi.lanes()), own_(lanes_, rank, 0),
        p_(plan.multi.groups.num_ranks), stages_(plan.stages(lanes_)),
        phases_(Collective::reduce_scatter, output_frame(p_, p_), rank) {}

  schedule::RankProgram run() && {
    lanes_.are_single() ? run_alone() : run_for_piece();
    return std::move(phases_).finish();
  }

private:
  [[nodiscard]] bool is_lane_first() const { return plan_.first == FirstPhase::lane; }

  /// The phase among leaders that comes first, or second.
  [[nodiscard]] Phase phase(bool is_first) const {
    return is_first == is_lane_first() ? own_.in_lane(*plan_.multi.lane)
                                       : own_.in_row(*plan_.multi.split);
  }

  /// What the first phase deals out, of a vector: whole rows to the ranks of a lane, or combs to
  /// those of a row. The second phase deals out the pieces of one of these.
  [[nodiscard]] std::vector<Slot> share(int i, Slot vector) const {
    return is_lane_first() ? std::vector{run_of(lanes_.rows().row(i), vector)}
                           : lanes_.lane_blocks(i, vector.buffer, vector.first);
  }

  [[nodiscard]] Slot piece(int i, Slot vector) const {
    return run_of(
        is_lane_first() ? lanes_.piece(own_.row(), i) : lanes_.piece(i, own_.lane()), vector
    );
  }

  [[nodiscard]] static Slot run_of(RankRange run, Slot vector) {
    vector.first += run.begin;
    vector.num_blocks = run.size;
    return vector;
  }

  /// All ranks lead: each keeps the sums of what the first phase deals out to it.
  void run_alone() {
    Slot const vector = schedule::blocks(0, p_);
    int const own = is_lane_first() ? own_.row() : own_.lane();
    int const num_parts = is_lane_first() ? lanes_.num_lanes() : lanes_.num_rows();
    Slot const sums = phases_.builder().scratch(share(own, vector));
    auto const shares = [=, this](int i) { return share(i, vector); };
    auto const sums_or_shares = [=](int i) { return i == own ? std::vector{sums} : shares(i); };
    auto const results = [=, this](int i) { return piece(i, vector); };
    phases_.run_stage(stages_[1], true, phase(true).on(sums_or_shares, shares));
    phases_.run_stage(stages_[2], true, phase(false).on(results, cut(sums, num_parts)));
  }

  /// A rank that works for others keeps the sums of its piece, and all others in their place.
  void run_for_piece() {
    RankRange const own_piece = own_.piece();
    bool const leads = own_.is_leader();
    Slot const vector = schedule::blocks(0, p_);
    Slot const sums = leads ? phases_.builder().scratch(vector) : vector;
    Phase up = own_.in_piece(plan_.up).on(cut(sums, 1));
    Phase down = own_.in_piece(plan_.down).on({schedule::blocks(own_piece.begin), 1});
    if (leads) {
      up.from = cut(vector, 1);
      down.from = cut(run_of(own_piece, sums), own_piece.size);
    }
    auto const shares = [=, this](int i) { return share(i, sums); };
    auto const pieces = [=, this](int i) { return piece(i, sums); };
    phases_.run_stage(stages_[0], true, up);
    phases_.run_stage(stages_[1], leads, phase(true).on(shares));
    phases_.run_stage(stages_[2], leads, phase(false).on(pieces));
    phases_.run_stage(stages_[3], true, down);
  }

  LaneSums const& plan_;
  Lanes lanes_;
  LanePlace own_;
  int p_;
  std::vector<Stage> stages_;
  Phases phases_;
};

}  // namespace

std::vector<Stage> LaneSums::stages(Lanes const& lanes) const {
  bool const is_lane_first = first == FirstPhase::lane;
  std::int64_t const single = lanes.are_single() ? 1 : 0;
  Stage const between_rows =
      lane_stage(*multi.lane, lanes, 0, single * (is_lane_first ? lanes.num_lanes() : 1));
  Stage const within_rows =
      row_stage(*multi.split, lanes, 0, single * (is_lane_first ? 1 : lanes.num_rows()));
  return {
      piece_stage(up, lanes, multi.groups.num_ranks),
      is_lane_first ? between_rows : within_rows,
      is_lane_first ? within_rows : between_rows,
      piece_stage(down, lanes, 1),
  };
}

schedule::RankProgram LaneSums::program(int rank) const {
  return Sums(*this, rank).run();
}

}  // namespace espalier::algorithms
