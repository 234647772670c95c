// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "espalier/machine/tree/torus.hpp"

namespace espalier::simulation {

/// A step of a message from a node to a neighbour.
struct Hop {
  int node = 0;
  int dimension = 0;
  bool is_up = true;

  friend bool operator==(Hop const&, Hop const&) = default;
};

/// The way of a message between two nodes, as Torus describes it.
[[nodiscard]] std::vector<Hop> hops(machine::Torus const& torus, int source, int target);

}  // namespace espalier::simulation
