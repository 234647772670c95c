// SPDX-License-Identifier: Apache-2.0

/// @file
/// Message combining neighbor_allgather: blocks travel dimension by dimension, as a tree that
/// forwards each block once where several neighbours lie behind the same hop. All eight neighbours
/// on an open grid of 3x3, a corner and the middle:
///
///     sent, p = 9     rank 0   rank 4
///     round 0         3:0      1:4 7:4
///     round 1         1:3,0    3:7,4,1 5:7,4,1
///
/// Dimensions with few different hops come first, so that blocks part as late as they can.
///
/// Rounds    d, the dimensions in which anything hops.
/// Messages  one for each hop: 2 d with all 3^d - 1 neighbours.
/// Volume    edges of the tree: 3^d - 1 with all neighbours, no more than directly.
/// Scratch   a block for each that is forwarded, or that comes with such blocks, and the own one.
/// Valid     the same offsets on all ranks of a grid, blocks of one size.
/// Source    [traeff2019].

#include "espalier/neighborhood/combining.hpp"

#include "espalier/neighborhood/algorithm.hpp"

namespace espalier::neighborhood {

extern Algorithm const neighbor_allgather_combining{
    .collective = Collective::neighbor_allgather,
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
