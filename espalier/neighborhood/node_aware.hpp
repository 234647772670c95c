// SPDX-License-Identifier: Apache-2.0

/// @file
/// Node-aware exchange, for both collectives: one message for each pair of nodes.

#pragma once

#include <string>

#include "espalier/neighborhood/algorithm.hpp"

namespace espalier::neighborhood {

/// Empty if the nodes of all ranks and the edges of all ranks are known.
[[nodiscard]] std::string refuses_node_aware(Request const& request);

/// @param request refuses_node_aware() must be empty for all here.
[[nodiscard]] schedule::RankProgram exchange_by_nodes(Request const& request, int rank);

[[nodiscard]] Facts node_aware_facts(Request const& request);

/// The round in which nodes exchange messages: 0 if there is nothing to collect before, since no
/// node has two ranks.
[[nodiscard]] int round_between_nodes(int most_ranks_of_a_node) noexcept;

}  // namespace espalier::neighborhood
