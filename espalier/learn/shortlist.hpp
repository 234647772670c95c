// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/machine/tree/link.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::learn {

/// A choice that is worth a trial, and how long a model says it takes.
struct Proposal {
  algorithms::Choice choice;
  double seconds = 0;
};

/// Where the ranks of a communicator are, and what messages between them cost.
struct Place {
  std::vector<int> node_of_rank;  ///< any number for each node
  machine::Link between_nodes;
  machine::Link within_node;
};

/// The choices that a model thinks best for a call, best first: `most` of different algorithms,
/// since the model may be wrong about one of them.
///
/// Times are those of replays (cost/replay). For more than 16 ranks they are replays of a StandIn,
/// which grow as the outline() does. Nothing is measured, and nothing is asked of other ranks. The
/// clock decides when to stop, so that ranks may get different lists: one has to ask for all.
///
/// @param num_bytes of the whole result, as in rules (DESIGN.md, "Deciding"); of calls whose size
///   not all ranks know it is ignored, and blocks are taken for 1 KiB.
/// @param most at least 1
/// @param limit after so long no other choice is replayed; the first 8 are in any case.
/// @throws Error argument for a communicator without ranks, or most below 1.
[[nodiscard]] std::vector<Proposal> shortlist(
    profile::Call call,
    double num_bytes,
    Place const& place,
    int most,
    std::chrono::steady_clock::duration limit
);

}  // namespace espalier::learn
