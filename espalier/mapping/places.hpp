// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "espalier/machine/tree/machine.hpp"

namespace espalier::mapping {

/// Where the ranks of a communicator run: groups of ranks inside groups of ranks.
///
///     rank             0  1  2  3  4  5  6  7
///     node      cost 1 0  0  0  0  1  1  1  1
///     package   1/8    0  0  1  1  2  2  3  3
class Places {
public:
  struct LevelGroups {
    std::string name;                ///< node, package, ...
    std::vector<int> group_of_rank;  ///< counted from 0 as ranks in hardware order meet them
    double cost = 1;                 ///< of a message of weight 1 whose ends first differ here

    friend bool operator==(LevelGroups const&, LevelGroups const&) = default;
  };

  /// Cost of a level inside another where nothing was measured, as a part of the outer one's: nodes
  /// together moved 8 times as much inside as between them in [niethammer2019].
  static constexpr double inner_cost = 1.0 / 8;

  /// Outermost level first. Levels with one group, and those that split nothing further, are kept:
  /// they count no messages. Group numbers may be any; they are counted anew.
  /// @throws Error argument unless there is a rank, all levels have the same ranks, groups lie
  ///   inside those of the level above, and costs are finite and above 0.
  explicit Places(std::vector<LevelGroups> levels);

  [[nodiscard]] int num_ranks() const noexcept { return static_cast<int>(order_.size()); }

  [[nodiscard]] int num_levels() const noexcept { return static_cast<int>(levels_.size()); }

  [[nodiscard]] LevelGroups const& groups(int level) const noexcept {
    return levels_[static_cast<std::size_t>(level)];
  }

  [[nodiscard]] int group_of(int level, int rank) const noexcept {
    return levels_[static_cast<std::size_t>(level)].group_of_rank[static_cast<std::size_t>(rank)];
  }

  /// Number of ranks in each group of a level, in hardware order.
  [[nodiscard]] std::vector<int> const& sizes(int level) const noexcept {
    return sizes_[static_cast<std::size_t>(level)];
  }

  /// The first level in which two ranks are in different groups; num_levels() if in none.
  [[nodiscard]] int crossing(int rank, int other) const noexcept {
    int level = 0;
    while (level < num_levels() && group_of(level, rank) == group_of(level, other)) {
      ++level;
    }
    return level;
  }

  /// Ranks so that those of a group stand together, on every level; groups in the order of their
  /// lowest ranks, ranks of an innermost group ascending.
  [[nodiscard]] std::vector<int> const& hardware_order() const noexcept { return order_; }

  friend bool operator==(Places const&, Places const&) = default;

private:
  std::vector<LevelGroups> levels_;
  std::vector<std::vector<int>> sizes_;
  std::vector<int> order_;
};

/// Levels of a machine down to the last that holds more than one rank somewhere; the costs are the
/// time per byte that leaves a group if all its ranks send at once (beta / channels, or / ranks if
/// they are fewer), relative to the outermost level with several groups; an eighth of the level
/// outside where links say nothing.
/// @param core_of_rank as machine::place() gives it.
/// @throws Error argument unless there is a rank, and for cores outside the machine.
[[nodiscard]] Places places_of(machine::Machine const& machine, std::span<int const> core_of_rank);

}  // namespace espalier::mapping
