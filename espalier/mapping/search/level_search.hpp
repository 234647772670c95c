// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "espalier/mapping/graph.hpp"
#include "espalier/mapping/search/group_swaps.hpp"
#include "espalier/mapping/splitting/two_way_graph.hpp"

namespace espalier::mapping {

/// The search on one level, whose objective is what leaves all groups, divided by their number,
/// plus what leaves the worst. Three moves, until none helps or the work allowed is done:
///
///     pairs     two groups swap vertices along their boundary
///     worst     every group that most leaves gives something to others, if that pays in all
///     regions   a few groups beside each other are dissolved and grown anew from another vertex
class LevelSearch {
public:
  /// Refers to the graph.
  LevelSearch(
      TwoWayGraph const& graph,
      std::vector<int> group_of_vertex,
      std::vector<int> parent_of_group,
      std::int64_t max_trials
  );

  /// Once; returns the vertices it looked at.
  std::int64_t run();

  [[nodiscard]] std::vector<int> const& group_of_vertex() const noexcept {
    return swaps_.group_of_vertex();
  }

private:
  using Goal = GroupSwaps::Goal;

  [[nodiscard]] bool is_spent() const noexcept { return swaps_.trials() >= max_trials_; }

  [[nodiscard]] double objective() const noexcept;
  void rebuild_families();
  void lower();
  bool lower_total();
  bool lower_worst();
  bool relieve(int group, double worst);
  bool lower_regions();
  [[nodiscard]] std::vector<int> region_around(int group, std::size_t size);
  bool try_region(std::vector<int> const& region);
  [[nodiscard]] Graph dissolved(std::span<int const> vertices);
  [[nodiscard]] std::vector<int> regrown(Graph const& part, std::span<int const> region);
  void improve_region(std::span<int const> region);
  [[nodiscard]] int random_below(int limit);

  GroupSwaps swaps_;
  TwoWayGraph const& graph_;
  std::vector<int> parent_;
  std::int64_t max_trials_;
  double most_leaving_ = 0;            ///< the worst group when the present round began
  std::vector<bool> is_active_;        ///< groups that changed in the last round
  std::vector<int> number_of_vertex_;  ///< scratch of dissolved(): -1 everywhere
  std::mt19937_64 random_;             ///< always the same seed
};

}  // namespace espalier::mapping
