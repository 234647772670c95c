// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/mapping/graph.hpp"

namespace espalier::mapping {

/// A vertex at an end of the part of a graph that is joined to `start`: far away from it, and from
/// there far away again. Ties: the vertex with fewest neighbors, then the lowest.
[[nodiscard]] int peripheral_vertex(Graph const& graph, int start);

/// Grows groups of vertices, each connected where the graph allows it. A vertex joins when it has
/// more weight to the group, and less to vertices that are still free, than all others; so groups
/// stay round and leave no crumbs behind.
class Growing {
public:
  /// Refers to the graph, whose edges go both ways.
  explicit Growing(Graph const& graph);

  /// Adds the next group: begins where least free vertices are left around, beside earlier groups.
  void grow(int size);
  /// Begins with this vertex, which must be free.
  void grow_from(int seed, int size);

  /// Of each vertex, counted from 0 in the order of the calls; -1 if it is free.
  [[nodiscard]] std::vector<int> const& group_of_vertex() const noexcept { return group_; }

private:
  struct Candidate {
    double key = 0;
    std::int64_t since = 0;  ///< earlier ones are nearer to the seed
    int vertex = 0;
  };

  [[nodiscard]] int next_seed();
  [[nodiscard]] int next_member();
  void take(int vertex);
  void push(std::vector<Candidate>& heap, Candidate candidate);

  Graph const& graph_;
  std::vector<int> group_;
  std::vector<double> inside_;       ///< weight to the group that grows
  std::vector<double> free_;         ///< weight to free vertices
  std::vector<std::int64_t> since_;  ///< when it was met first by the group that grows
  std::vector<int> met_by_;          ///< group that met it last
  std::vector<Candidate> members_;   ///< heap: candidates of the group that grows
  std::vector<Candidate> seeds_;     ///< heap: free vertices beside any group
  int num_groups_ = 0;
  int first_free_ = 0;
  std::int64_t clock_ = 0;
};

}  // namespace espalier::mapping
