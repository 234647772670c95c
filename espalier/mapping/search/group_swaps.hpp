// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "espalier/mapping/splitting/two_way_graph.hpp"

namespace espalier::mapping {

/// Groups of vertices of one level, whose sizes stay, while vertices of two groups change places.
/// Groups of the same parent see each other; edges to others are none of this level's business.
class GroupSwaps {
public:
  enum class Goal {
    total,  ///< less leaves both groups together; neither leaves more than the worst group does
    worst,  ///< less leaves the one of the two that most leaves
  };

  /// Refers to the graph.
  /// @param group_of_vertex counted from 0.
  GroupSwaps(
      TwoWayGraph const& graph, std::vector<int> group_of_vertex, std::vector<int> parent_of_group
  );

  [[nodiscard]] int num_groups() const noexcept { return static_cast<int>(parent_.size()); }

  [[nodiscard]] std::vector<int> const& group_of_vertex() const noexcept { return group_; }

  /// What leaves a group for others of its parent.
  [[nodiscard]] double leaving(int group) const noexcept {
    return leaving_[static_cast<std::size_t>(group)];
  }

  [[nodiscard]] double total() const noexcept;
  [[nodiscard]] double worst() const noexcept;
  /// Groups of the same parent that edges join to this one, ascending.
  [[nodiscard]] std::vector<int> joined(int group);

  /// Vertices that changed places, first from group a to b, second back; empty if nothing got
  /// better.
  using Swaps = std::vector<std::pair<int, int>>;

  /// Swaps vertices of two groups; true if they are better then.
  /// @param most_leaving limit for Goal::total, of what may leave either group.
  bool improve(int a, int b, Goal goal, double most_leaving);
  /// Puts all vertices of some groups into these groups anew.
  /// @param vertices all of them; of group_of as many for each group as it has.
  void regroup(
      std::span<int const> groups, std::span<int const> vertices, std::span<int const> group_of
  );
  /// The same for all groups.
  void reset(std::vector<int> group_of_vertex);

  [[nodiscard]] std::span<int const> members(int group) const noexcept;

  /// How much two sums of the same weights may differ.
  [[nodiscard]] double tolerance() const noexcept { return tolerance_; }

  /// Vertices looked at so far.
  [[nodiscard]] std::int64_t trials() const noexcept { return trials_; }

private:
  struct Candidate {
    double gain = 0;
    int vertex = 0;
  };

  struct Value {
    double total = 0;
    double worst = 0;
    double leaving_a = 0;
    double leaving_b = 0;
  };

  void measure(int group);
  void find_boundary(int a, int b);
  void look_at(int vertex);
  void push(int vertex);
  [[nodiscard]] int side(int vertex) const noexcept;
  [[nodiscard]] int best_of(int side);
  [[nodiscard]] bool swap_best();
  void move(int vertex);
  void update_gains(int vertex);
  void undo(std::size_t num_kept);
  void keep();
  [[nodiscard]] Value value() const noexcept;
  [[nodiscard]] bool is_better(Value const& value, Value const& than, Goal goal) const noexcept;

  TwoWayGraph const& graph_;
  std::vector<int> group_;
  std::vector<int> parent_;
  std::vector<double> leaving_;
  std::vector<std::size_t> first_member_;
  std::vector<int> member_;
  std::vector<std::size_t> place_;  ///< of each vertex in member_
  std::vector<std::size_t> next_;   ///< of each group: where regroup() puts its next member
  double tolerance_ = 0;            ///< below it, sums of weights in another order may differ

  std::array<int, 2> pair_{};
  std::array<std::vector<Candidate>, 2> heaps_;
  std::vector<double> gain_;
  std::vector<std::int64_t>
      seen_;  ///< of each vertex: the last call of improve() that looked at it
  std::vector<std::int64_t> moved_;  ///< ... that moved it
  std::vector<std::int64_t> joined_;
  std::int64_t call_ = 0;
  std::vector<std::pair<int, int>> moves_;  ///< vertex, group it came from
  std::int64_t trials_ = 0;
};

}  // namespace espalier::mapping
