// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/alltoall/parts/lane_exchange.hpp"

#include <utility>

namespace espalier::algorithms {
namespace {

using schedule::Slot;

/// Blocks of a matrix that is stored row by row: some columns of all its rows.
std::vector<Slot> columns(Slot matrix, int width, RankRange wanted) {
  int const num_rows = matrix.num_blocks / width;
  matrix.first += wanted.begin;
  if (wanted.size == 1) {
    matrix.num_blocks = num_rows;
    matrix.stride = width;
    return {matrix};
  }
  std::vector<Slot> result;
  for (int row = 0; row < num_rows; ++row) {
    Slot slot = matrix;
    slot.first += row * width;
    slot.num_blocks = wanted.size;
    result.push_back(slot);
  }
  return result;
}

/// Some rows of the same: a slot.
Slot matrix_rows(Slot matrix, int width, RankRange wanted) {
  matrix.first += wanted.begin * width;
  matrix.num_blocks = wanted.size * width;
  return matrix;
}

RankRange relative(RankRange run, int origin) {
  return {.begin = run.begin - origin, .size = run.size};
}

/// The program of one rank. `given_` has a row for each rank of the piece and a column for each
/// destination, `taken_` a row for each source and a column for each rank of the piece; what is
/// between the phases has a row for each source and a column for each destination that remain.
class Exchange {
public:
  Exchange(LaneExchange const& plan, int rank)
      : plan_(plan), lanes_(plan.multi.lanes()), own_(lanes_, rank, 0),
        p_(plan.multi.groups.num_ranks), size_(own_.piece().size),
        row_(lanes_.rows().row(own_.row())),
        phases_(Collective::alltoall, schedule::alltoall_frame(p_, rank), rank) {
    if (own_.is_leader() && size_ > 1) {
      given_ = scratch(size_ * p_);
      taken_ = scratch(size_ * p_);
    }
  }

  schedule::RankProgram run() && {
    std::vector<Stage> const stages = plan_.stages(lanes_);
    bool const leads = own_.is_leader();
    phases_.run_stage(stages[0], size_ > 1, up());
    if (leads) {
      between_ = scratch(row_.size * lanes_.lane_size(own_.lane()));
    }
    if (plan_.first == FirstPhase::lane) {
      phases_.run_stage(stages[1], leads, lane_first());
      phases_.run_stage(stages[2], leads, split_second());
    } else {
      phases_.run_stage(stages[1], leads, split_first());
      phases_.run_stage(stages[2], leads, lane_second());
    }
    phases_.run_stage(stages[3], size_ > 1, down());
    return std::move(phases_).finish();
  }

private:
  Slot scratch(int num_blocks) {
    return phases_.builder().scratch(schedule::blocks(0, num_blocks));
  }

  Phase up() const {
    Slot const whole{.buffer = schedule::Buffer::input, .first = 0, .num_blocks = p_};
    Slot const places = own_.is_leader() ? given_ : schedule::blocks(0, p_);
    Phase const phase = own_.in_piece(plan_.up);
    return phase.on([=, this](int i) { return row_of(places, i); }, [=](int) { return whole; });
  }

  Phase down() const {
    Phase phase = own_.in_piece(plan_.down).on([this](int) { return schedule::blocks(0, p_); });
    if (own_.is_leader()) {
      phase.from = [this](int i) { return columns(taken_, size_, {.begin = i, .size = 1}); };
    }
    return phase;
  }

  /// Blocks of rank i of the piece, if there is a place for each.
  Slot row_of(Slot places, int i) const {
    return places.num_blocks == p_ ? places : matrix_rows(places, p_, {.begin = i, .size = 1});
  }

  Phase lane_first() const {
    return own_.in_lane(*plan_.multi.lane)
        .on([this](int row) { return matrix_rows(between_, row_.size, in_lane(row)); },
            [this](int row) { return columns(given_, p_, lanes_.rows().row(row)); });
  }

  Phase split_second() const {
    return own_.in_row(*plan_.multi.split)
        .on([this](int lane) { return taken_from_lane(lane); },
            [this](int lane) { return columns(between_, row_.size, in_row(lane)); });
  }

  Phase split_first() const {
    int const width = lanes_.lane_size(own_.lane());
    return own_.in_row(*plan_.multi.split)
        .on([this, width](int lane) { return matrix_rows(between_, width, in_row(lane)); },
            [this](int lane) { return given_for_lane(lane); });
  }

  Phase lane_second() const {
    int const width = lanes_.lane_size(own_.lane());
    return own_.in_lane(*plan_.multi.lane)
        .on([this](int row) { return matrix_rows(taken_, size_, lanes_.rows().row(row)); },
            [this, width](int row) { return columns(between_, width, in_lane(row)); });
  }

  /// A piece of the own lane among the ranks of the lane, and one of the own row among its ranks.
  RankRange in_lane(int row) const {
    return {
        .begin = lanes_.lane_offset(row, own_.lane()),
        .size = lanes_.piece(row, own_.lane()).size,
    };
  }

  RankRange in_row(int lane) const { return relative(lanes_.piece(own_.row(), lane), row_.begin); }

  std::vector<Slot> given_for_lane(int lane) const {
    std::vector<Slot> result;
    for (int i = 0; i < size_; ++i) {
      std::vector<Slot> const blocks =
          lanes_.lane_blocks(lane, given_.buffer, given_.first + i * p_);
      result.insert(result.end(), blocks.begin(), blocks.end());
    }
    return result;
  }

  std::vector<Slot> taken_from_lane(int lane) const {
    if (size_ == 1) {
      return lanes_.lane_blocks(lane);
    }
    std::vector<Slot> result;
    for (int row = 0; row < lanes_.num_rows(); ++row) {
      result.push_back(matrix_rows(taken_, size_, lanes_.piece(row, lane)));
    }
    return result;
  }

  LaneExchange const& plan_;
  Lanes lanes_;
  LanePlace own_;
  int p_;
  int size_;
  RankRange row_;
  Phases phases_;
  Slot given_{.buffer = schedule::Buffer::input, .first = 0, .num_blocks = p_};
  Slot taken_{.buffer = schedule::Buffer::output, .first = 0, .num_blocks = p_};
  Slot between_{};
};

}  // namespace

std::vector<Stage> LaneExchange::stages(Lanes const& lanes) const {
  int const p = multi.groups.num_ranks;
  int const row_size = lanes.rows().smallest();
  bool const are_equal = lanes.rows().are_equal() && row_size % lanes.num_lanes() == 0;
  std::int64_t const piece = are_equal ? row_size / lanes.num_lanes() : 0;
  std::int64_t const lane_size = piece * lanes.num_rows();
  Stage const between_rows = lane_stage(*multi.lane, lanes, 0, piece * row_size);
  Stage const within_rows = row_stage(*multi.split, lanes, 0, piece * lane_size);
  bool const is_lane_first = first == FirstPhase::lane;
  return {
      piece_stage(up, lanes, p),
      is_lane_first ? between_rows : within_rows,
      is_lane_first ? within_rows : between_rows,
      piece_stage(down, lanes, p),
  };
}

schedule::RankProgram LaneExchange::program(int rank) const {
  return Exchange(*this, rank).run();
}

}  // namespace espalier::algorithms
