// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the orthogonal algorithms of all collectives share: groups, and an algorithm for either
/// direction.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/algorithms/composed/groups.hpp"
#include "espalier/algorithms/composed/phases.hpp"
#include "espalier/schedule/builder.hpp"

namespace espalier::algorithms {

/// `inner` works within the leaves, `across` between the rows of each level.
struct Orthogonal {
  Groups groups;
  Choice inner;
  Choice across;

  /// From the arguments `rows`, `sizes`, `inner` and `across`; across falls back to inner.
  static Orthogonal parse(Collective collective, Request const& request, std::string_view inner);

  /// As Algorithm::refuses; the other functions need that it is empty.
  [[nodiscard]] std::string refuses(int root = 0) const;

  /// Across all levels from the first one down, then within leaves, as a collective with a root
  /// runs. The blocks are the parts of ranks, between rows those of whole rows.
  [[nodiscard]] std::vector<Stage> stages_of_parts(int root) const;
  /// The same where all phases work on the same vector of this many blocks.
  [[nodiscard]] std::vector<Stage> stages_of_vector(int root, int num_blocks = 1) const;

  [[nodiscard]] int inner_rounds() const;
  [[nodiscard]] int across_rounds(std::size_t level) const;
  /// Least common multiple of the pieces of all phases; a number above `limit` stands for any such.
  [[nodiscard]] std::int64_t common_pieces(std::int64_t limit) const;
  /// As Algorithm::segment_period: a rank takes part in a phase of every level and in a leaf.
  [[nodiscard]] int segment_period() const;
};

/// One rank in a collective with a root that runs on groups: for which runs of ranks it stands, and
/// where it keeps their parts.
class Standing {
public:
  Standing(Groups const& groups, int rank, int root);

  /// Rows of each level around the rank.
  [[nodiscard]] std::vector<Rows> const& levels() const noexcept { return levels_; }

  [[nodiscard]] RankRange leaf() const noexcept { return runs_.back(); }

  [[nodiscard]] bool is_root() const noexcept { return first_ == 0; }

  /// True if the rank stands for its row of this level among the other rows.
  [[nodiscard]] bool is_across(std::size_t level) const noexcept { return first_ <= level + 1; }

  /// True if it has to keep what is not for itself.
  [[nodiscard]] bool keeps_others() const noexcept { return !is_root() && kept_.size > 1; }

  /// Ranks whose parts pass through this one.
  [[nodiscard]] RankRange kept() const noexcept { return kept_; }

  /// The phase between the rows of a level, without its blocks.
  [[nodiscard]] Phase across(Choice const& algorithm, std::size_t level) const;
  /// The same among all ranks at the own place in their rows, not only those that stand for them.
  [[nodiscard]] Phase between_counterparts(Choice const& algorithm, std::size_t level) const;
  /// The phase within the leaf, without its blocks.
  [[nodiscard]] Phase inner(Choice const& algorithm) const;
  /// Parts of a run of ranks: in `store` if they are kept there, otherwise in the output.
  [[nodiscard]] schedule::Slot place(RankRange run, schedule::Slot store) const;
  /// The same for the rows of a level, or the ranks of the leaf.
  [[nodiscard]] schedule::BlockMap places_of_rows(std::size_t level, schedule::Slot store) const;
  [[nodiscard]] schedule::BlockMap places_in_leaf(schedule::Slot store) const;

private:
  int rank_;
  std::vector<Rows> levels_;
  std::vector<RankRange> runs_;       // all ranks, then the row of each level
  std::vector<int> representatives_;  // of these runs
  std::size_t first_;                 // of these runs, the largest that the rank represents
  RankRange kept_;
};

/// The parameters rows, sizes, inner and across.
[[nodiscard]] std::vector<Parameter> orthogonal_parameters(std::string_view inner);

/// Argument lists for a tuner: all layouts with two factors for up to 64 ranks, otherwise the
/// most balanced; one with three phases; for few ranks one with unequal rows, and one with given
/// sizes. Few ranks try the inner algorithm, and all that is tried within rows, with every layout;
/// others do so only with the most balanced one.
[[nodiscard]] std::vector<std::string>
orthogonal_variants(Collective collective, int num_ranks, std::string_view default_inner);

/// The same for collectives with a root or with small data: few layouts, one with unequal rows, one
/// with given sizes and one with two levels; and without a layout what is tried in one phase.
/// @param key of the argument for this phase
[[nodiscard]] std::vector<std::string> layout_variants(
    int num_ranks, std::string_view key, Collective collective, Tried tried, bool with_levels = true
);

/// Why an algorithm cannot be a phase of another one for these groups; empty if it can.
/// @param key of the argument that names it.
[[nodiscard]] std::string
refuse_phase(Choice const& choice, std::string_view key, std::vector<GroupShape> const& shapes);

}  // namespace espalier::algorithms
