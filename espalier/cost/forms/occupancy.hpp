// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "espalier/cost/forms/demand.hpp"
#include "espalier/cost/replay/setting.hpp"

namespace espalier::cost {

/// Which ranks are in which objects of a machine.
class Occupancy {
public:
  /// @throws Error argument if a core lies outside the machine, or the root is no rank.
  Occupancy(Setting const& setting, int root);

  [[nodiscard]] machine::Machine const& machine() const noexcept { return *machine_; }

  [[nodiscard]] RankSet const& whole() const noexcept { return whole_; }

  /// Of each object of a level; empty ones too.
  [[nodiscard]] std::vector<RankSet> const& sets(int level) const {
    return sets_[static_cast<std::size_t>(level)];
  }

  /// Objects of a level with ranks.
  [[nodiscard]] int num_occupied(int level) const;

  /// The object of the level above, 0 above the first, around an object with ranks.
  [[nodiscard]] std::size_t around(int level, std::size_t object) const;

  /// Whether messages between some ranks cross a level.
  [[nodiscard]] bool is_crossed(int level) const {
    return is_crossed_[static_cast<std::size_t>(level)];
  }

  /// Ranks of the nodes in the lower half of a torus in one dimension, whose neighbours are so many
  /// nodes apart.
  [[nodiscard]] RankSet half_of_torus(int extent, int stride) const;

  /// Least of a cost over the links that messages cross, down to a level; 0 if there are none.
  template <typename Cost> [[nodiscard]] double least(int level, Cost const& cost) const {
    double least = machine::Link::unlimited;
    for (int outer = 0; outer <= level; ++outer) {
      if (is_crossed(outer)) {
        least = std::fmin(least, cost(machine_->link(outer)));
      }
    }
    return std::isfinite(least) ? least : 0;
  }

private:
  void add(int rank, int core, bool is_root);

  machine::Machine const* machine_;
  RankSet whole_;
  std::vector<std::vector<RankSet>> sets_;
  std::vector<std::vector<int>> some_core_;  ///< with a rank, in each object; -1 if there is none
  std::vector<bool> is_crossed_;
};

}  // namespace espalier::cost
