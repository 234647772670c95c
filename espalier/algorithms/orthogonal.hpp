// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the orthogonal algorithms of all collectives share: the layout and its phases.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/algorithms/rows.hpp"

namespace espalier::algorithms {

/// Ranks are cut into rows, these into rows of the next level, and so on; the runs that remain are
/// the leaves. `across` works between the rows of each level, `inner` within a leaf.
struct Orthogonal {
  int num_ranks = 1;
  std::vector<int> num_rows;  ///< per level, from all ranks down; not empty
  Choice inner;
  Choice across;

  /// From the arguments `rows`, `inner` and `across`; without rows, about sqrt(p) of them.
  static Orthogonal parse(Collective collective, Request const& request, std::string_view inner);

  /// As Algorithm::refuses; the other functions need that it is empty.
  [[nodiscard]] std::string refuses() const;

  /// True if all leaves have the same size.
  [[nodiscard]] bool has_equal_leaves() const;
  /// True if some run of this level is cut into rows of two sizes.
  [[nodiscard]] bool has_unequal_rows(std::size_t level) const;
  /// One size or two.
  [[nodiscard]] std::vector<int> leaf_sizes() const;
  /// Rows that a rank is in, per level.
  [[nodiscard]] std::vector<Rows> levels_of(int rank) const;
  [[nodiscard]] Run leaf_of(int rank) const;

  [[nodiscard]] int inner_rounds() const;
  [[nodiscard]] int across_rounds(std::size_t level) const;
  /// Least common multiple of the pieces of all phases; a number above `limit` stands for any such.
  [[nodiscard]] std::int64_t common_pieces(std::int64_t limit) const;
  /// As Algorithm::segment_period: a rank takes part in a phase of every level and in a leaf.
  [[nodiscard]] int segment_period() const;
};

/// The parameters rows, inner and across.
[[nodiscard]] std::vector<Parameter> orthogonal_parameters(std::string_view inner);

/// Argument lists for a tuner: all layouts with two factors for up to 64 ranks, otherwise the
/// most balanced; one with three phases; one with unequal rows for few ranks. Few ranks try every
/// inner algorithm with every layout, others only with the most balanced one.
[[nodiscard]] std::vector<std::string>
orthogonal_variants(int num_ranks, std::vector<std::string> const& inner);

}  // namespace espalier::algorithms
