// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "espalier/mapping/walk.hpp"

namespace espalier::mapping {

/// Cuts a grid into regions, one for each group of each level of places; see hyperplane.
class Bisection {
public:
  /// How much weight counts that is cut otherwise than by the plane itself.
  struct Rule {
    double step = 1;    ///< by the step in the cut
    double inside = 1;  ///< by what has to be cut inside the parts, as estimated
  };

  Bisection(Problem const& problem, Rule const& rule);

  /// Once, as the other.
  Walk run();
  /// A walk whose pieces for the outermost groups stay, and are cut inside.
  Walk inside(Walk walk);

private:
  /// Elements begin .. end of the walk, which hold the cells of a region in ascending order.
  struct Region {
    int begin;
    int end;
    int level;  ///< to be split by

    [[nodiscard]] int size() const noexcept { return end - begin; }
  };

  /// The cells with the least coordinates along a dimension become elements .. middle.
  struct Section {
    int middle = 0;
    std::size_t dimension = 0;
    std::size_t groups_below = 0;
    std::size_t groups_above = 0;
    double cost = 0;
  };

  void split(Region const& region);
  /// Where groups of its level end strictly inside a region.
  [[nodiscard]] std::span<int const> ends_inside(Region const& region) const;
  /// Cells of a region with each coordinate along a dimension, from the least one it has.
  [[nodiscard]] std::vector<int> profile(Region const& region, std::size_t dimension) const;
  [[nodiscard]] Section best_section(Region const& region) const;
  /// With its cost.
  /// @param profile along its dimension.
  /// @param extents of the region, and again afterwards.
  [[nodiscard]] Section section_at(
      Region const& region,
      std::vector<int> const& profile,
      std::vector<double>& extents,
      Section section
  ) const;
  /// What cuts inside a part will cost if all go well.
  [[nodiscard]] double
  cost_inside(int size, std::size_t num_groups, std::vector<double> const& extents) const;
  int divide(Region const& region, Section const& section);

  Rule rule_;
  std::vector<double> crossings_;
  std::vector<std::vector<int>> ends_;         ///< of the groups of each level
  std::vector<std::vector<int>> coordinates_;  ///< of each dimension, of each position
  Walk walk_;
  std::vector<int> rest_;
};

}  // namespace espalier::mapping
