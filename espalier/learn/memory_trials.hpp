// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "espalier/learn/shortlist.hpp"
#include "espalier/learn/situation.hpp"

namespace espalier::learn {

/// The same proposals for a communicator some of whose ranks share memory: before each of the first
/// two the same choice with `shared_memory=1`, since small messages gain by it and large ones may
/// lose. The model says nothing of the difference. On several nodes only choices are doubled whose
/// groups are given (candidates/memory_variants), and in which messages within nodes take a tenth
/// of the time or more: what is gained of less can hardly be measured. A single proposal, as for
/// the few calls of a short program, is not doubled.
/// @param node_of_rank  as in Place
/// @param only  no messages are sent within nodes, so each proposal is one with `shared_memory=1`
[[nodiscard]] std::vector<Proposal> with_shared_memory(
    std::vector<Proposal> const& proposals, std::vector<int> const& node_of_rank, bool only
);

/// Whether memory that ranks of a node share is worth making, before any call is known: on one node
/// always, on several where each rank has a processor, and the network is so fast that
/// with_shared_memory() may double a choice.
[[nodiscard]] bool may_gain_by_memory(Place const& place);

}  // namespace espalier::learn
