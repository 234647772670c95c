// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the hierarchical algorithms of all collectives share: one rank leads each group, and only
/// leaders talk to other groups.

#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/algorithms/composed/orthogonal.hpp"

namespace espalier::algorithms {

/// `up` brings data to the leader of a group, `across` works between the leaders of all groups,
/// `down` brings the result back. A group is led by its first rank. With several levels, up and
/// down also work between the leaders of the inner levels.
struct Hierarchy {
  Groups groups;
  Choice up;
  Choice across;
  Choice down;

  /// From the arguments `rows`, `sizes`, `up`, `across` and `down`.
  /// @param collectives and names of the three, as in "reduce/binomial".
  static Hierarchy parse(
      Request const& request, std::string_view up, std::string_view across, std::string_view down
  );

  /// As Algorithm::refuses; the other functions need that it is empty.
  [[nodiscard]] std::string refuses() const;
  /// All phases in their order, on a vector of this many blocks.
  [[nodiscard]] std::vector<Stage> stages(int num_blocks = 1) const;
  /// The same phases as the rank sees them, without their blocks; where it takes no part, nothing.
  [[nodiscard]] std::vector<std::optional<Phase>> phases(Standing const& own) const;
  /// For each of these phases the level whose rows it connects; a level too many: within leaves.
  [[nodiscard]] std::vector<std::size_t> levels() const;
};

/// The parameters rows, sizes, up, across and down.
/// @param most_trees as Parameter::most_combined, for up and down
[[nodiscard]] std::vector<Parameter> hierarchical_parameters(
    std::string_view up,
    std::string_view across,
    std::string_view down,
    int most_trees = std::numeric_limits<int>::max()
);

}  // namespace espalier::algorithms
