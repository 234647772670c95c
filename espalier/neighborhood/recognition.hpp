// SPDX-License-Identifier: Apache-2.0

/// @file
/// Finds the stencil in a graph. MPI has no other way to describe the neighbours of a grid with its
/// corners, so programs list them, each rank in an order of its own:
///
///     rank 4 of an open grid of 3x3     to 0 2 8 6 1 5 7 3
///     rank 0                            to 4 3 1
///     found                             3x3, offsets (-1,-1) (-1,0) ... (1,1)

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "espalier/neighborhood/neighborhood.hpp"

namespace espalier::neighborhood {

/// How often recognise() looks at an edge before it stops: some ten milliseconds.
inline constexpr std::int64_t most_looks_at_edges = std::int64_t{1} << 18U;

/// The stencil whose edges these are, with the numbers that they have on each rank. Local, and the
/// same on all ranks.
///
/// The grid has up to four dimensions of two ranks and more, each open or periodic, and numbers its
/// ranks as MPI_Cart_create does. Each rank has an edge for every offset that stays inside the
/// grid, and no other. Several edges between the same two ranks are several equal offsets, which
/// all ranks must have as often. Where several grids fit, it is one in which combining sends the
/// fewest messages.
///
/// A graph in several parts is none of them: a rank may have to forward what goes between ranks of
/// another part, and MPI lets each part have its own size of blocks.
///
/// The edges of two ranks tell for all extents how many messages combining would send at least, and
/// those with fewest come first. On a grid the corners tell the offsets: one that is possible at
/// all is possible at a corner. From the offsets follows how many edges there must be, and only if
/// so many are there, all of them are looked at. So almost every wrong grid costs the edges of a
/// few ranks.
///
/// @param out  the edges out of each rank, with both ends
/// @param most_looks  what has been found by then is the result
/// @return none if no grid fits, or if there is one rank only
[[nodiscard]] std::optional<Isomorphic>
recognise(std::vector<std::vector<End>> const& out, std::int64_t most_looks = most_looks_at_edges);

}  // namespace espalier::neighborhood
