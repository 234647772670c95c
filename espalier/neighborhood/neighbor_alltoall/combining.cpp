// SPDX-License-Identifier: Apache-2.0

/// @file
/// Message combining neighbor_alltoall: blocks travel dimension by dimension, and all that take the
/// same hop go in one message. All eight neighbours on an open grid of 3x3, a corner and the
/// middle:
///
///     sent, p = 9     rank 0    rank 4
///     round 0         3:03,04   1:40,41,42 7:46,47,48
///     round 1         1:31,01   3:73,43,13 5:75,45,15
///
/// Offsets may be of any length; a hop of any length is one message. In a ring of two, -1 and +1
/// are one hop, in a ring of one they are none. On open grids blocks that would leave the grid do
/// not exist, not even on their way.
///
/// Rounds    d, the dimensions in which anything hops.
/// Messages  one for each hop: 2 d with all 3^d - 1 neighbours.
/// Volume    hops of all blocks: 2 d 3^(d-1) with all neighbours, where 3^d - 1 go directly.
/// Scratch   a block for each that stops here on its way, or that comes or leaves with such blocks.
/// Valid     the same offsets on all ranks of a grid; blocks that go on to others must have the
/// same
///           size for the same offset on all ranks.
/// Source    [traeff2019].

#include "espalier/neighborhood/combining.hpp"

#include "espalier/neighborhood/algorithm.hpp"

namespace espalier::neighborhood {

extern Algorithm const neighbor_alltoall_combining{
    .collective = Collective::neighbor_alltoall,
    .name = "combining",
    .summary = "dimension by dimension, what takes the same hop in one message",
    .source = "traeff2019",
    .valid = "the same offsets on all ranks of a grid",
    .forwards = true,
    .refuses = refuses_combining,
    .generate = combine,
    .facts = combining_facts,
    .facts_inside = combining_facts_inside,
};

}  // namespace espalier::neighborhood
