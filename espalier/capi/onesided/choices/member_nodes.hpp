// SPDX-License-Identifier: Apache-2.0

/// @file
/// Members of a team on nodes, and what can be told apart of their network by chains of messages.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "espalier/algorithms/catalog.hpp"

namespace espalier::capi {

/// The node of each member, counted from 0 as they first occur. Empty if all members are on one
/// node, or alone on theirs: then groups that are the nodes are nothing else than all members.
/// @param node_of_rank  of all ranks of a conduit, in any numbers
/// @param members       ranks of the conduit
[[nodiscard]] std::vector<int>
member_nodes(std::span<int const> node_of_rank, std::vector<int> const& members);

/// How member_nodes() lie, in a word: empty if there are none, or if each node has the same number
/// of members that follow each other; "in turn" if they were dealt to nodes; else their numbers.
[[nodiscard]] std::string placement_of(std::vector<int> const& nodes);

/// How many of the messages of a broadcast from member 0 stay on a node.
struct Hops {
  int within = 0;
  int between = 0;

  friend bool operator==(Hops const&, Hops const&) = default;
};

[[nodiscard]] Hops hops_of(algorithms::Choice const& bcast, std::vector<int> const& node_of_rank);

/// A broadcast whose messages follow each other, and how long it takes in any unit.
struct ChainTime {
  Hops hops;
  double time = 0;
};

/// Of one message.
struct HopTimes {
  double within = 0;
  double between = 0;
};

/// What follows from two chains with other shares of messages between nodes. Neither time is below
/// a twentieth of the mean of the first chain, and `between` is not below `within`, whatever
/// disturbed them.
[[nodiscard]] HopTimes hop_times(ChainTime const& first, ChainTime const& second);

}  // namespace espalier::capi
