// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/composed/orthogonal.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "espalier/algorithms/composed/native.hpp"
#include "espalier/algorithms/composed/tried_phases.hpp"

namespace espalier::algorithms {
namespace {

/// Numbers of rows of the layouts with two factors that are worth trying.
std::vector<int> two_factor_layouts(int p) {
  std::vector<int> result;
  for (int rows = 2; p <= 64 && rows <= p / 2; ++rows) {
    if (p % rows == 0) {
      result.push_back(rows);
    }
  }
  if (result.empty() && balanced_rows(p) > 1) {
    result.push_back(balanced_rows(p));
  }
  return result;
}

}  // namespace

std::string
refuse_phase(Choice const& choice, std::string_view key, std::vector<GroupShape> const& shapes) {
  std::string const given = std::string(key) + "=" + std::string(choice.algorithm().name);
  if (choice.algorithm().name == "orthogonal") {
    return given + " cannot be nested; give more rows instead, as in rows=4x2";
  }
  if (choice.num_segments() > 1) {
    return given + " cannot be segmented by itself; give segments to orthogonal";
  }
  for (GroupShape const& shape : shapes) {
    if (std::string const reason = choice.refuses(shape.size, shape.root); !reason.empty()) {
      return std::string(given).append(" ").append(reason);
    }
  }
  return {};
}

Orthogonal
Orthogonal::parse(Collective collective, Request const& request, std::string_view inner) {
  std::string_view const inner_text = request.arguments.text("inner", inner);
  return {
      .groups = Groups::parse(request),
      .inner = Choice::parse_phase(collective, inner_text),
      .across = Choice::parse_phase(collective, request.arguments.text("across", inner_text)),
  };
}

std::string Orthogonal::refuses(int root) const {
  std::string reason = groups.refuses();
  if (reason.empty()) {
    reason = refuse_phase(inner, "inner", groups.shapes(groups.num_levels(), root));
  }
  for (std::size_t level = 0; reason.empty() && level < groups.num_levels(); ++level) {
    reason = is_native(across) && groups.has_unequal_rows(level)
                 ? "across=native needs rows of one size"
                 : refuse_phase(across, "across", groups.shapes_across(level, root));
  }
  return reason;
}

std::vector<Stage> Orthogonal::stages_of_parts(int root) const {
  std::vector<Stage> result;
  for (std::size_t level = 0; level < groups.num_levels(); ++level) {
    std::vector<int> const sizes = groups.run_sizes(level + 1);
    result.push_back({
        .algorithm = across,
        .shapes = groups.shapes_across(level, root),
        .weight = sizes.size() == 1 ? sizes[0] : 0,
    });
  }
  result.push_back(
      {.algorithm = inner, .shapes = groups.shapes(groups.num_levels(), root), .weight = 1}
  );
  return result;
}

std::vector<Stage> Orthogonal::stages_of_vector(int root, int num_blocks) const {
  std::vector<Stage> result;
  for (std::size_t level = 0; level < groups.num_levels(); ++level) {
    result.push_back(stage_of_vector(across, groups.shapes_across(level, root), num_blocks));
  }
  result.push_back(stage_of_vector(inner, groups.shapes(groups.num_levels(), root), num_blocks));
  return result;
}

Standing::Standing(Groups const& groups, int rank, int root)
    : rank_(rank), levels_(groups.levels_of(rank)), runs_{{.begin = 0, .size = groups.num_ranks}},
      representatives_(groups.representatives(rank, root)) {
  for (Rows const& rows : levels_) {
    runs_.push_back(rows.row(rows.row_of(rank)));
  }
  auto const found = std::ranges::find(representatives_, rank);
  first_ = static_cast<std::size_t>(found - representatives_.begin());
  kept_ = first_ < runs_.size() ? runs_[first_] : RankRange{.begin = rank, .size = 1};
}

Phase Standing::across(Choice const& algorithm, std::size_t level) const {
  Rows const& rows = levels_[level];
  return {
      .algorithm = algorithm,
      .num_ranks = rows.num_rows(),
      .rank = rows.row_of(rank_),
      .root = rows.row_of(representatives_[level]),
      .rank_of = counterparts(rows, representatives_[level]),
      .to = {},
  };
}

Phase Standing::between_counterparts(Choice const& algorithm, std::size_t level) const {
  Phase phase = across(algorithm, level);
  phase.root = 0;
  phase.rank_of = counterparts(levels_[level], rank_);
  return phase;
}

Phase Standing::inner(Choice const& algorithm) const {
  return {
      .algorithm = algorithm,
      .num_ranks = leaf().size,
      .rank = rank_ - leaf().begin,
      .root = representatives_.back() - leaf().begin,
      .rank_of = members(leaf()),
      .to = {},
  };
}

schedule::Slot Standing::place(RankRange run, schedule::Slot store) const {
  if (!keeps_others() || run.begin < kept_.begin || run.end() > kept_.end()) {
    return schedule::blocks(run.begin, run.size);
  }
  store.first += run.begin - kept_.begin;
  store.num_blocks = run.size;
  return store;
}

schedule::BlockMap Standing::places_of_rows(std::size_t level, schedule::Slot store) const {
  return [this, level, store](int row) { return place(levels_[level].row(row), store); };
}

schedule::BlockMap Standing::places_in_leaf(schedule::Slot store) const {
  if (first_ >= runs_.size()) {
    return {schedule::blocks(leaf().begin), 1};
  }
  return {place({.begin = leaf().begin, .size = 1}, store), 1};
}

int Orthogonal::inner_rounds() const {
  int rounds = 0;
  for (int const size : groups.leaf_sizes()) {
    rounds = std::max(rounds, inner.num_rounds(size, 0));
  }
  return rounds;
}

int Orthogonal::across_rounds(std::size_t level) const {
  return across.num_rounds(groups.num_rows[level], 0);
}

std::int64_t Orthogonal::common_pieces(std::int64_t limit) const {
  std::int64_t pieces = 1;
  auto const include = [&](Choice const& choice, std::vector<int> const& sizes) {
    for (int const size : sizes) {
      std::int64_t const of_phase = choice.num_pieces(size);
      pieces = pieces > limit ? pieces : std::lcm(pieces, of_phase);
    }
  };
  include(inner, groups.leaf_sizes());
  include(across, groups.num_rows);
  return pieces;
}

int Orthogonal::segment_period() const {
  bool is_possible = true;
  // A phase of one rank sends nothing, but must let itself be cut.
  auto const period_of = [&](Choice const& choice, int size) {
    int const period = choice.segment_period(size);
    is_possible = is_possible && period > 0;
    return size == 1 ? 0 : period;
  };
  int period = 0;
  for (int const size : groups.leaf_sizes()) {
    period = std::max(period, period_of(inner, size));
  }
  for (int const size : groups.num_rows) {
    period += period_of(across, size);
  }
  return is_possible ? std::max(period, 1) : 0;
}

std::vector<Parameter> orthogonal_parameters(std::string_view inner) {
  std::vector<Parameter> parameters = group_parameters();
  parameters.push_back({
      .name = "inner",
      .type = Parameter::Type::algorithm,
      .fallback = inner,
      .description = "algorithm within a row",
      .takes_native = true,
  });
  parameters.push_back({
      .name = "across",
      .type = Parameter::Type::algorithm,
      .fallback = "",
      .description = "algorithm between rows; if not given, the inner one",
      .takes_native = true,
  });
  return parameters;
}

std::vector<std::string>
orthogonal_variants(Collective collective, int num_ranks, std::string_view default_inner) {
  if (num_ranks < 3) {
    return {""};
  }
  std::vector<std::string> inner = tried_phases(collective, Tried::within_rows, num_ranks);
  inner.insert(inner.begin(), std::string(default_inner));
  std::vector<std::string> result;
  auto const add = [&](std::string const& rows, std::string const& algorithm) {
    result.push_back("[rows=" + rows + ",inner=" + algorithm + "]");
  };
  bool const has_few_ranks = num_ranks <= 33;
  for (int const rows : two_factor_layouts(num_ranks)) {
    bool const takes_all = has_few_ranks || rows == balanced_rows(num_ranks);
    for (std::size_t i = 0; i < (takes_all ? inner.size() : 1); ++i) {
      add(std::to_string(rows), inner[i]);
    }
  }
  if (has_few_ranks) {
    add(std::to_string(unequal_rows(num_ranks)), inner.back());
    int const half = num_ranks / 2;
    result.push_back("[sizes=" + list_text({1, half, num_ranks - half - 1}) + "]");
  }
  if (num_ranks >= 8) {
    int side = 2;
    while (std::int64_t{side + 1} * (side + 1) * (side + 1) <= num_ranks) {
      ++side;
    }
    add(list_text({side, side}), inner.front());
  }
  return result;
}

std::vector<std::string> layout_variants(
    int num_ranks, std::string_view key, Collective collective, Tried tried, bool with_levels
) {
  std::vector<std::string> result{""};
  for (std::string const& groups : group_variants(num_ranks, with_levels)) {
    result.push_back("[" + groups + "]");
  }
  if (num_ranks <= 33) {
    for (std::string const& phase : tried_phases(collective, tried, num_ranks)) {
      result.push_back(std::string("[").append(key).append("=").append(phase).append("]"));
    }
  }
  return result;
}

}  // namespace espalier::algorithms
