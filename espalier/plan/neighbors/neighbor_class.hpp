// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/neighborhood/neighborhood.hpp"
#include "espalier/profile/shape.hpp"

namespace espalier::plan {

/// What decisions depend on in a neighborhood; the same on all ranks.
struct NeighborClass {
  profile::Topology topology = profile::Topology::none;
  int max_neighbors = 0;
  /// Several edges join the same two ranks in one direction, or a rank with itself.
  bool has_repeated_edges = false;

  friend bool operator==(NeighborClass const&, NeighborClass const&) = default;
};

/// On a grid without looking at all ranks. A graph stays one if a stencil was recognised in it:
/// its rules are those for graphs.
/// @param neighborhood  that knows all edges; those with a common order of edges are Cartesian
[[nodiscard]] NeighborClass class_of(neighborhood::Neighborhood const& neighborhood);

}  // namespace espalier::plan
