// SPDX-License-Identifier: Apache-2.0

/// @file
/// Ranks in groups of consecutive ranks, as the nodes of a machine or the rows of a grid hold them.
/// Where ranks of a group are not consecutive, schedule::permute makes them so.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/composed/rows.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {

/// A run of ranks and the place of its root: what the schedule within it depends on.
struct GroupShape {
  int size = 1;
  int root = 0;

  friend auto operator<=>(GroupShape const&, GroupShape const&) = default;
};

/// All ranks are cut into rows, these into rows of the next level, and so on; the runs that remain
/// are the leaves.
struct Groups {
  int num_ranks = 1;
  std::vector<int> sizes;     ///< of the rows of the first level; empty if nearly equal
  std::vector<int> num_rows;  ///< per level, from all ranks down; not empty

  /// From the arguments `sizes` and `rows`; with neither, about sqrt(p) rows.
  static Groups parse(Request const& request);

  /// As Algorithm::refuses; the other functions need that it is empty.
  [[nodiscard]] std::string refuses() const;

  [[nodiscard]] std::size_t num_levels() const noexcept { return num_rows.size(); }

  /// A run of ranks as this level cuts it.
  [[nodiscard]] Rows cut(RankRange whole, std::size_t level) const;
  /// Rows that a rank is in, per level.
  [[nodiscard]] std::vector<Rows> levels_of(int rank) const;
  [[nodiscard]] RankRange leaf_of(int rank) const;
  /// Which sizes the runs have that this level cuts, ascending; beyond the last level: the leaves.
  [[nodiscard]] std::vector<int> run_sizes(std::size_t level) const;

  [[nodiscard]] std::vector<int> leaf_sizes() const { return run_sizes(num_levels()); }

  [[nodiscard]] bool has_equal_leaves() const { return leaf_sizes().size() == 1; }

  /// True if all rows of all levels are equal.
  [[nodiscard]] bool are_equal() const;
  /// True if some run of this level is cut into rows of different sizes.
  [[nodiscard]] bool has_unequal_rows(std::size_t level) const;
  /// Most ranks by which a row of this level is larger than the smallest beside it.
  [[nodiscard]] int most_surplus(std::size_t level) const;

  /// Rank that stands for each run around `rank`, all ranks first, its leaf last: the root, or who
  /// stands where the root of the run around it does.
  [[nodiscard]] std::vector<int> representatives(int rank, int root) const;
  /// The runs of a level with their representatives, without repetition; beyond the last level: the
  /// leaves.
  [[nodiscard]] std::vector<GroupShape> shapes(std::size_t level, int root) const;
  /// Groups of a level that have a rank of each row, with the row of the representative as root.
  [[nodiscard]] std::vector<GroupShape> shapes_across(std::size_t level, int root) const;
};

/// One level of rows whose ranks are dealt to the same number of lanes, in order: each row is cut
/// into as many nearly equal pieces. The leaders of the pieces form a grid, rows by lanes; the
/// other ranks take part through their leader. If rows are equal and there is a lane for each
/// place, every rank is a leader.
class Lanes {
public:
  /// @param root leads its piece; the others are led by their first rank.
  Lanes(Rows rows, int num_lanes, int root = 0);

  [[nodiscard]] Rows const& rows() const noexcept { return rows_; }

  [[nodiscard]] int num_rows() const noexcept { return rows_.num_rows(); }

  [[nodiscard]] int num_lanes() const noexcept { return num_lanes_; }

  /// True if every rank is a leader.
  [[nodiscard]] bool are_single() const noexcept {
    return rows_.are_equal() && rows_.smallest() == num_lanes_;
  }

  [[nodiscard]] RankRange piece(int row, int lane) const;
  [[nodiscard]] int leader(int row, int lane) const;
  [[nodiscard]] int lane_of(int rank) const;
  /// Ranks in all pieces of a lane.
  [[nodiscard]] int lane_size(int lane) const;
  /// Ranks in the pieces of a lane in rows before `row`.
  [[nodiscard]] int lane_offset(int row, int lane) const;
  /// The blocks of the ranks of a lane, in rank order, out of p in a buffer.
  [[nodiscard]] std::vector<schedule::Slot>
  lane_blocks(int lane, schedule::Buffer buffer = schedule::Buffer::output, int first = 0) const;
  /// Pieces with their leaders, without repetition.
  [[nodiscard]] std::vector<GroupShape> piece_shapes() const;

private:
  Rows rows_;
  int num_lanes_;
  int root_;
};

/// The parameters `rows` and `sizes`.
[[nodiscard]] std::vector<Parameter> group_parameters();
/// The largest divisor of p in sqrt(p) / 2 .. sqrt(p); if there is none, floor(sqrt(p)).
[[nodiscard]] int balanced_rows(int p);
/// The smallest number of rows, at least 2, that does not divide p and is not the balanced one.
[[nodiscard]] int unequal_rows(int p);
/// 8x8x4, as arguments are given.
[[nodiscard]] std::string list_text(std::vector<int> const& list);
/// Few layouts that show what groups can be, as `rows=4`, `sizes=3x1x2`: balanced, of unequal sizes
/// and, if wanted, of two levels.
[[nodiscard]] std::vector<std::string> group_variants(int num_ranks, bool with_levels);

}  // namespace espalier::algorithms
