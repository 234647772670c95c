// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "espalier/machine/tree/nesting.hpp"

namespace espalier::machine {

/// What nodes hang on, as a level above nodes.
struct NetworkLevel {
  std::string name;  ///< switch; of several levels switch1, switch2, ... outermost first
  std::map<std::string, std::string, std::less<>> object_of_node;

  friend bool operator==(NetworkLevel const&, NetworkLevel const&) = default;
};

/// The network above nodes.
struct Network {
  std::vector<std::string> nodes;    ///< in the order of their description
  std::vector<NetworkLevel> levels;  ///< outermost first; every node is in each of them
  std::string hint;                  ///< torus or dragonfly if it was called so, else empty

  friend bool operator==(Network const&, Network const&) = default;
};

/// A node and the switches above it, outermost first.
using NodePath = std::pair<std::string, std::vector<std::string>>;

/// The network of nodes whose switches are known. Where lists differ in length, nodes with shorter
/// ones hang on the outer switches directly. Levels of one object are left out.
[[nodiscard]] Network network_of(std::vector<NodePath> const& nodes);

/// The levels of a network as divisions of units, given the node of each unit.
/// @throws Error argument for a node that the network does not have.
[[nodiscard]] std::vector<Division>
divisions_of(Network const& network, std::vector<std::string> const& node_of_unit);

}  // namespace espalier::machine
