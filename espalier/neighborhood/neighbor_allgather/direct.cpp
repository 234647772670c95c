// SPDX-License-Identifier: Apache-2.0

/// @file
/// Direct neighbor_allgather: a message for each edge, all at once, as MPI libraries do. On a ring:
///
///     sent, p = 4     rank 0    rank 1    rank 2    rank 3
///     round 0         3:0 1:0   0:1 2:1   1:2 3:2   2:3 0:3
///
/// Rounds    1; none if all neighbours are the rank itself.
/// Messages  d, the most neighbours that a rank sends to, itself not counted.
/// Volume    the most blocks that a rank sends or receives.
/// Scratch   none.
/// Valid     any neighborhood; blocks may have any sizes, and a rank needs to know its own edges
///           only.
/// Source    [mpi41], chapter 8.

#include "espalier/neighborhood/direct.hpp"

#include "espalier/neighborhood/algorithm.hpp"

namespace espalier::neighborhood {

extern Algorithm const neighbor_allgather_direct{
    .collective = Collective::neighbor_allgather,
    .name = "direct",
    .summary = "a message for each edge, all at once",
    .source = "mpi41",
    .valid = "any neighborhood",
    .refuses = [](Request const&) { return std::string(); },
    .generate = exchange_directly,
    .facts = direct_facts,
    .facts_inside = direct_facts_inside,
};

}  // namespace espalier::neighborhood
