// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/composed/multi_lane.hpp"

#include <array>
#include <utility>

#include "espalier/algorithms/composed/native.hpp"
#include "espalier/algorithms/composed/tried_phases.hpp"

namespace espalier::algorithms {
namespace {

using Entry = std::pair<std::string_view, std::string_view>;

/// Names of the phases with their algorithms.
std::array<Entry, 3> entries(LaneAlgorithms const& fallbacks) {
  return {
      Entry{"split", fallbacks.split}, Entry{"lane", fallbacks.lane}, Entry{"join", fallbacks.join}
  };
}

std::optional<Choice>
choice_of(Request const& request, std::string_view key, std::string_view fallback) {
  std::size_t const slash = fallback.find('/');
  if (fallback.empty()) {
    return std::nullopt;
  }
  return Choice::parse_phase(
      parse_collective(fallback.substr(0, slash)),
      request.arguments.text(key, fallback.substr(slash + 1))
  );
}

}  // namespace

MultiLane MultiLane::parse(Request const& request, LaneAlgorithms const& fallbacks) {
  return {
      .groups = Groups::parse(request),
      .num_lanes = request.arguments.integer("lanes", fallbacks.num_lanes),
      .root = request.root,
      .split = choice_of(request, "split", fallbacks.split),
      .lane = choice_of(request, "lane", fallbacks.lane),
      .join = choice_of(request, "join", fallbacks.join),
  };
}

std::string MultiLane::refuses() const {
  std::string reason = groups.refuses();
  if (reason.empty() && groups.num_levels() > 1) {
    return "needs one level of rows, got " + std::to_string(groups.num_levels()) +
           "; use rows=N or sizes=AxB..";
  }
  int const most = reason.empty() ? groups.run_sizes(1).front() : 0;
  if (reason.empty() && num_lanes > most) {
    return "lanes=" + std::to_string(num_lanes) + " needs as many ranks in every row, got " +
           std::to_string(most) + " in the smallest";
  }
  auto const has_native = [](std::optional<Choice> const& phase) {
    return phase && is_native(*phase);
  };
  if (reason.empty() && (has_native(split) || has_native(lane) || has_native(join)) &&
      !has_fixed_lanes()) {
    return "native phases need lanes whose leaders are the same for every root: rows of one size, "
           "and a lane for each rank of a row";
  }
  return reason;
}

bool MultiLane::has_fixed_lanes() const {
  Lanes const all = lanes();
  bool const are_even = all.rows().are_equal() && all.rows().smallest() % all.num_lanes() == 0;
  bool const has_root = lane && schedule::has_root(lane->collective());
  return has_root ? all.are_single() : are_even;
}

Lanes MultiLane::lanes() const {
  Rows const rows = groups.cut({.begin = 0, .size = groups.num_ranks}, 0);
  return {rows, num_lanes == 0 ? rows.smallest() : num_lanes, root};
}

LanePlace::LanePlace(Lanes const& lanes, int rank, int root)
    : lanes_(lanes), rank_(rank), root_(root), row_(lanes.rows().row_of(rank)),
      lane_(lanes.lane_of(rank)), root_row_(lanes.rows().row_of(root)),
      piece_(lanes.piece(row_, lane_)), leader_(lanes.leader(row_, lane_)) {}

Phase LanePlace::in_piece(Choice const& algorithm) const {
  return {
      .algorithm = algorithm,
      .num_ranks = piece_.size,
      .rank = rank_ - piece_.begin,
      .root = leader_ - piece_.begin,
      .rank_of = members(piece_),
      .to = {},
  };
}

Phase LanePlace::in_row(Choice const& algorithm) const {
  return {
      .algorithm = algorithm,
      .num_ranks = lanes_.num_lanes(),
      .rank = lane_,
      .root = lanes_.lane_of(root_),
      .rank_of = [this](int lane) { return lanes_.leader(row_, lane); },
      .to = {},
  };
}

Phase LanePlace::in_lane(Choice const& algorithm) const {
  return {
      .algorithm = algorithm,
      .num_ranks = lanes_.num_rows(),
      .rank = row_,
      .root = root_row_,
      .rank_of = [this](int row) { return lanes_.leader(row, lane_); },
      .to = {},
  };
}

LaneStore::LaneStore(schedule::Builder& builder, Lanes const& lanes, LanePlace const& own)
    : lanes_(lanes), own_(own),
      is_apart_(
          own.is_leader() && !own.is_root() && (own.is_in_root_row() || own.piece().size > 1)
      ),
      has_lane_(is_apart_ && own.is_in_root_row()) {
  if (has_lane_) {
    slot_ = builder.scratch(lanes.lane_blocks(own.lane()));
  } else if (is_apart_) {
    slot_ = builder.scratch(schedule::blocks(own.piece().begin, own.piece().size));
  }
}

schedule::Slot LaneStore::piece(int row) const {
  RankRange const run = lanes_.piece(row, own_.lane());
  if (!has_lane_ && (!is_apart_ || row != own_.row())) {
    return schedule::blocks(run.begin, run.size);
  }
  schedule::Slot slot = slot_;
  slot.first += has_lane_ ? lanes_.lane_offset(row, own_.lane()) : 0;
  slot.num_blocks = run.size;
  return slot;
}

schedule::BlockMap LaneStore::parts_of_piece() const {
  return cut(piece(own_.row()), own_.piece().size);
}

schedule::BlockMap LaneStore::parts_of_rows() const {
  return [this](int row) { return piece(row); };
}

schedule::BlockMap LaneStore::parts_of_lanes() const {
  return [this](int lane) {
    return has_lane_ && lane == own_.lane() ? std::vector{slot_} : lanes_.lane_blocks(lane);
  };
}

Stage piece_stage(Choice const& algorithm, Lanes const& lanes, std::int64_t weight) {
  return {.algorithm = algorithm, .shapes = lanes.piece_shapes(), .weight = weight};
}

Stage row_stage(Choice const& algorithm, Lanes const& lanes, int root, std::int64_t weight) {
  GroupShape const shape{.size = lanes.num_lanes(), .root = lanes.lane_of(root)};
  return {.algorithm = algorithm, .shapes = {shape}, .weight = weight};
}

Stage lane_stage(Choice const& algorithm, Lanes const& lanes, int root, std::int64_t weight) {
  GroupShape const shape{.size = lanes.num_rows(), .root = lanes.rows().row_of(root)};
  return {.algorithm = algorithm, .shapes = {shape}, .weight = weight};
}

std::vector<Parameter> multi_lane_parameters(LaneAlgorithms const& fallbacks) {
  std::vector<Parameter> parameters = group_parameters();
  parameters.push_back({
      .name = "lanes",
      .type = Parameter::Type::integer,
      .fallback = fallbacks.num_lanes == 1 ? "1" : "",
      .description =
          fallbacks.num_lanes == 1
              ? "ranks of each row that talk to other rows"
              : "ranks of each row that talk to other rows; if not given, as many as the "
                "smallest row has",
  });
  std::array<std::string_view, 3> const descriptions{
      "algorithm within a row that deals out to the lanes",
      "algorithm of every lane, between rows",
      "algorithm within a row that brings together what the lanes have",
  };
  for (std::size_t i = 0; i < descriptions.size(); ++i) {
    auto const [name, choice] = entries(fallbacks).at(i);
    if (!choice.empty()) {
      std::size_t const slash = choice.find('/');
      parameters.push_back({
          .name = name,
          .type = Parameter::Type::algorithm,
          .fallback = choice.substr(slash + 1),
          .collective = choice.substr(0, slash),
          .description = descriptions.at(i),
          .takes_native = true,
      });
    }
  }
  return parameters;
}

std::vector<std::string> multi_lane_variants(Request const& request, Collective lane) {
  std::vector<std::string> result{""};
  for (std::string const& groups : group_variants(request.num_ranks, false)) {
    result.push_back("[" + groups + "]");
  }
  if (request.num_ranks >= 6 && request.num_ranks <= 33) {
    for (std::string const& phase : tried_phases(lane, Tried::between_rows, request.num_ranks)) {
      result.push_back("[rows=2,lanes=2,lane=" + phase + "]");
    }
  }
  return result;
}

}  // namespace espalier::algorithms
