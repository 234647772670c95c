// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/composed/groups.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>

#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

int floor_sqrt(int n) {
  // Exact: a double holds every int, and roots of squares are.
  return static_cast<int>(std::sqrt(static_cast<double>(n)));
}

std::vector<int> without_repetition(std::vector<int> list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

/// Sizes of the rows of a run.
std::vector<int> row_sizes(Rows const& rows) {
  if (rows.are_equal()) {
    return {rows.smallest()};
  }
  std::vector<int> sizes;
  for (int row = 0; row < rows.num_rows(); ++row) {
    sizes.push_back(rows.row(row).size);
  }
  return without_repetition(std::move(sizes));
}

/// The rows of a run with the ranks at the root's place, without repetition.
void add_row_shapes(std::set<GroupShape>& shapes, Rows const& rows, int root) {
  int const num_different = rows.are_equal() ? 1 : rows.num_rows();
  for (int row = 0; row < num_different; ++row) {
    RankRange const run = rows.row(row);
    shapes.insert({.size = run.size, .root = rows.counterpart(root, row) - run.begin});
  }
}

}  // namespace

Groups Groups::parse(Request const& request) {
  Groups groups{
      .num_ranks = request.num_ranks,
      .sizes = request.arguments.integers("sizes"),
      .num_rows = request.arguments.integers("rows"),
  };
  if (!groups.sizes.empty()) {
    groups.num_rows.insert(groups.num_rows.begin(), static_cast<int>(groups.sizes.size()));
  } else if (groups.num_rows.empty()) {
    groups.num_rows = {balanced_rows(request.num_ranks)};
  }
  return groups;
}

std::string Groups::refuses() const {
  auto const sum = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  if (!sizes.empty() && sum != num_ranks) {
    return "sizes=" + list_text(sizes) + " needs " + std::to_string(sum) + " ranks, got " +
           std::to_string(num_ranks);
  }
  std::int64_t smallest = sizes.empty() ? num_ranks : std::ranges::min(sizes);
  for (std::size_t level = sizes.empty() ? 0 : 1; level < num_rows.size(); ++level) {
    smallest /= num_rows[level];
  }
  if (smallest < 1) {
    std::vector<int> const given(num_rows.begin() + (sizes.empty() ? 0 : 1), num_rows.end());
    return "rows=" + list_text(given) + " needs a rank in every row, got " +
           std::to_string(num_ranks) + " ranks; use fewer rows";
  }
  return {};
}

Rows Groups::cut(RankRange whole, std::size_t level) const {
  return level == 0 && !sizes.empty() ? Rows(whole, sizes) : Rows(whole, num_rows[level]);
}

std::vector<Rows> Groups::levels_of(int rank) const {
  std::vector<Rows> levels;
  levels.reserve(num_rows.size());
  RankRange whole{.begin = 0, .size = num_ranks};
  for (std::size_t level = 0; level < num_rows.size(); ++level) {
    levels.push_back(cut(whole, level));
    whole = levels.back().row(levels.back().row_of(rank));
  }
  return levels;
}

RankRange Groups::leaf_of(int rank) const {
  Rows const last = levels_of(rank).back();
  return last.row(last.row_of(rank));
}

std::vector<int> Groups::run_sizes(std::size_t level) const {
  std::vector<int> result{num_ranks};
  for (std::size_t i = 0; i < level; ++i) {
    std::vector<int> next;
    for (int const size : result) {
      std::vector<int> const of_run = row_sizes(cut({.begin = 0, .size = size}, i));
      next.insert(next.end(), of_run.begin(), of_run.end());
    }
    result = without_repetition(std::move(next));
  }
  return result;
}

bool Groups::are_equal() const {
  for (std::size_t level = 0; level < num_levels(); ++level) {
    if (has_unequal_rows(level)) {
      return false;
    }
  }
  return true;
}

bool Groups::has_unequal_rows(std::size_t level) const {
  return most_surplus(level) > 0;
}

int Groups::most_surplus(std::size_t level) const {
  int surplus = 0;
  for (int const size : run_sizes(level)) {
    Rows const rows = cut({.begin = 0, .size = size}, level);
    surplus = std::max(surplus, rows.largest() - rows.smallest());
  }
  return surplus;
}

std::vector<int> Groups::representatives(int rank, int root) const {
  std::vector<int> result{root};
  for (Rows const& rows : levels_of(rank)) {
    result.push_back(rows.counterpart(result.back(), rows.row_of(rank)));
  }
  return result;
}

std::vector<GroupShape> Groups::shapes(std::size_t level, int root) const {
  std::vector<GroupShape> result{{.size = num_ranks, .root = root}};
  for (std::size_t i = 0; i < level; ++i) {
    std::set<GroupShape> next;
    for (GroupShape const& shape : result) {
      add_row_shapes(next, cut({.begin = 0, .size = shape.size}, i), shape.root);
    }
    result.assign(next.begin(), next.end());
  }
  return result;
}

std::vector<GroupShape> Groups::shapes_across(std::size_t level, int root) const {
  std::set<GroupShape> result;
  for (GroupShape const& shape : shapes(level, root)) {
    Rows const rows = cut({.begin = 0, .size = shape.size}, level);
    result.insert({.size = rows.num_rows(), .root = rows.row_of(shape.root)});
  }
  return {result.begin(), result.end()};
}

Lanes::Lanes(Rows rows, int num_lanes, int root)
    : rows_(std::move(rows)), num_lanes_(num_lanes), root_(root) {}

RankRange Lanes::piece(int row, int lane) const {
  return Rows(rows_.row(row), num_lanes_).row(lane);
}

int Lanes::leader(int row, int lane) const {
  RankRange const run = piece(row, lane);
  return run.contains(root_) ? root_ : run.begin;
}

int Lanes::lane_of(int rank) const {
  return Rows(rows_.row(rows_.row_of(rank)), num_lanes_).row_of(rank);
}

int Lanes::lane_size(int lane) const {
  return lane_offset(num_rows(), lane);
}

int Lanes::lane_offset(int row, int lane) const {
  if (rows_.are_equal()) {
    return row * piece(0, lane).size;
  }
  int size = 0;
  for (int before = 0; before < row; ++before) {
    size += piece(before, lane).size;
  }
  return size;
}

std::vector<schedule::Slot> Lanes::lane_blocks(int lane, schedule::Buffer buffer, int first) const {
  if (are_single()) {
    return {
        {.buffer = buffer, .first = first + lane, .num_blocks = num_rows(), .stride = num_lanes_}
    };
  }
  std::vector<schedule::Slot> result;
  for (int row = 0; row < num_rows(); ++row) {
    RankRange const run = piece(row, lane);
    result.push_back({.buffer = buffer, .first = first + run.begin, .num_blocks = run.size});
  }
  return result;
}

/// Rows of the same size without the root look alike, and so do their pieces of the same size.
std::vector<GroupShape> Lanes::piece_shapes() const {
  std::set<GroupShape> result;
  std::set<int> sizes;
  for (int row = 0; row < num_rows(); ++row) {
    RankRange const whole = rows_.row(row);
    if (whole.contains(root_)) {
      for (int lane = 0; lane < num_lanes_; ++lane) {
        RankRange const run = piece(row, lane);
        result.insert({.size = run.size, .root = leader(row, lane) - run.begin});
      }
    } else if (sizes.insert(whole.size).second) {
      Rows const pieces(whole, num_lanes_);
      result.insert({.size = pieces.smallest()});
      result.insert({.size = pieces.largest()});
    }
  }
  return {result.begin(), result.end()};
}

std::vector<Parameter> group_parameters() {
  return {
      {
          .name = "rows",
          .type = Parameter::Type::integer_list,
          .fallback = "",
          .description = "number of rows, then of rows in each row, as in 4 or 4x2; if not given, "
                         "about sqrt(p)",
      },
      {
          .name = "sizes",
          .type = Parameter::Type::integer_list,
          .fallback = "",
          .description = "ranks in each row, as in 8x8x4; rows then cuts these rows further",
      },
  };
}

int balanced_rows(int p) {
  int const root = floor_sqrt(p);
  for (int rows = root; rows > 1 && 2 * rows >= root; --rows) {
    if (p % rows == 0) {
      return rows;
    }
  }
  return root;
}

int unequal_rows(int p) {
  int rows = 2;
  while (p % rows == 0 || rows == balanced_rows(p)) {
    ++rows;
  }
  return rows;
}

std::string list_text(std::vector<int> const& list) {
  std::string text;
  for (int const entry : list) {
    text += (text.empty() ? "" : "x") + std::to_string(entry);
  }
  return text;
}

std::vector<std::string> group_variants(int num_ranks, bool with_levels) {
  std::vector<std::string> result;
  if (num_ranks <= 33 && num_ranks >= 5) {
    int const half = num_ranks / 2;
    result.push_back("sizes=" + list_text({half, 2, num_ranks - half - 2}));
    if (balanced_rows(num_ranks) > 1) {
      result.push_back("rows=" + std::to_string(balanced_rows(num_ranks)));
    }
    result.push_back("rows=" + std::to_string(unequal_rows(num_ranks)));
  }
  if (with_levels && num_ranks >= 8) {
    result.emplace_back("rows=2x3");
  }
  return result;
}

}  // namespace espalier::algorithms
