// SPDX-License-Identifier: Apache-2.0

/// @file
/// Node-aware neighbor_allgather: what goes from one node to another is collected by one rank, goes
/// in one message, each block once, and is handed out there. Neighbours in the same node get theirs
/// directly. All eight neighbours on an open grid of 2x3, each row a node:
///
///     sent, p = 6     rank 0          rank 1        rank 2
///     round 0         1:0 2:0         0:1 2:1 2:1   1:2
///     round 1         -               -             3:0,1,2
///     round 2         1:3,4,5 2:4,5   -             -
///
/// Rounds    3; less where nothing has to be collected or handed out.
/// Messages  between nodes one for each pair, by ranks that take care of about as many each; inside
///           a node at most three to each other rank.
/// Volume    between nodes each block once to each node, however many neighbours it has there.
/// Scratch   blocks that a rank collects, and that it hands out.
/// Valid     any neighborhood whose edges and nodes are known; sizes that only the two ends of an
///           edge know have to be exchanged first.
/// Source    [bienz2019], its exchange in three steps.

#include "espalier/neighborhood/node_aware.hpp"

#include "espalier/neighborhood/algorithm.hpp"

namespace espalier::neighborhood {

extern Algorithm const neighbor_allgather_node_aware{
    .collective = Collective::neighbor_allgather,
    .name = "node_aware",
    .summary = "one message from node to node, collected before and handed out behind",
    .source = "bienz2019",
    .valid = "any neighborhood of ranks whose nodes are known",
    .forwards = true,
    .refuses = refuses_node_aware,
    .generate = exchange_by_nodes,
    .facts = node_aware_facts,
};

}  // namespace espalier::neighborhood
