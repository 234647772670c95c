// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <compare>
#include <map>
#include <vector>

#include "espalier/neighborhood/algorithm.hpp"
#include "espalier/neighborhood/nodes.hpp"

namespace espalier::neighborhood {

/// An input block of a rank, and so a message's worth of data: edge k of its sender, or 0 for the
/// one block of neighbor_allgather.
struct Source {
  int sender = 0;
  int k = 0;

  friend auto operator<=>(Source const&, Source const&) = default;
};

/// An output block.
struct Target {
  int rank = 0;
  int j = 0;

  friend auto operator<=>(Target const&, Target const&) = default;
};

/// What goes from one node to another (or stays in one), each block once, with all its targets
/// there in ascending order.
using Parcels = std::map<Source, std::vector<Target>>;

/// What leaves and enters nodes, and which ranks take care of it.
class NodeTraffic {
public:
  /// Refers to the request, whose nodes must be known.
  explicit NodeTraffic(Request const& request);

  [[nodiscard]] Nodes const& nodes() const noexcept { return nodes_; }

  /// By destination node, this node among them.
  [[nodiscard]] std::map<int, Parcels> leaving(int node) const;
  /// By source node, this node among them.
  [[nodiscard]] std::map<int, Parcels> entering(int node) const;
  /// The rank of a node that sends to each of the nodes to which something goes. Nodes with most
  /// edges come first, and the last rank of the node has the first of them; receivers begin with
  /// the first rank. So a rank sends or receives, not both, as long as there are others
  /// [bienz2019].
  [[nodiscard]] std::map<int, int> senders(int node) const;
  /// The rank of a node that receives from each of the nodes from which something comes.
  [[nodiscard]] std::map<int, int> receivers(int node) const;

private:
  using Edges = std::vector<End> (Neighborhood::*)(int rank) const;

  /// Other nodes by edges between them and this one, most first.
  [[nodiscard]] std::vector<int> others(int node, Edges edges) const;

  Request const& request_;
  Nodes nodes_;
};

}  // namespace espalier::neighborhood
