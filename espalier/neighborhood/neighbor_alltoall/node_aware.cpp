// SPDX-License-Identifier: Apache-2.0

/// @file
/// Node-aware neighbor_alltoall: what goes from one node to another is collected by one rank, goes
/// in one message, and is handed out there. Neighbours in the same node get theirs directly. All
/// eight neighbours on an open grid of 2x3, each row a node:
///
///     sent, p = 6     rank 0               rank 1                 rank 2
///     round 0         1:01 2:03,04         0:10 2:12 2:13,14,15   1:21
///     round 1         -                    -                      3:03,04,13,14,15,24,25
///     round 2         1:31,41,51 2:42,52   -                      -
///
/// The nodes to which something goes are spread over the ranks of the node from the last on, those
/// from which something comes from the first on, and the nodes with most edges first.
///
/// Rounds    3; less where nothing has to be collected or handed out.
/// Messages  between nodes one for each pair, by ranks that take care of about as many each; inside
///           a node at most three to each other rank.
/// Volume    between nodes no more blocks than directly; inside nodes up to two more for each.
/// Scratch   blocks that a rank collects, and that it hands out.
/// Valid     any neighborhood whose edges and nodes are known; sizes that only the two ends of an
///           edge know have to be exchanged first.
/// Source    [bienz2019], its exchange in three steps.

#include "espalier/neighborhood/node_aware.hpp"

#include "espalier/neighborhood/algorithm.hpp"

namespace espalier::neighborhood {

extern Algorithm const neighbor_alltoall_node_aware{
    .collective = Collective::neighbor_alltoall,
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
