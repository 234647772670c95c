// SPDX-License-Identifier: Apache-2.0

/// @file
/// Orders for binomial trees of [karlsson2012]: who stands where in the tree.
///
/// In step s = 1 .. L = ceil(log2 p) of a scatter every filled position q hands the upper half of
/// its range on, to position q + 2^(L-s): 2^(s-1) messages at once, first few large ones, last many
/// small ones. Two groups X and Y of cores, p = 8:
///
///     position          0 1 2 3 4 5 6 7    crosses in step
///     standard          X X X X Y Y Y Y    1: one message, half of all data
///     fastest edge      X Y X Y X Y X Y    3: four messages at once
///     channel aware 2   X X Y Y X X Y Y    2: two messages at once, which is what fits

#pragma once

#include <span>

#include "espalier/mapping/orders/binomial_steps.hpp"
#include "espalier/mapping/orders/rank_vector.hpp"
#include "espalier/mapping/orders/rtt_matrix.hpp"

namespace espalier::mapping {

/// Fastest edge first: every parent takes the nearest rank left, ties the lowest. Large messages
/// travel near, and groups are crossed as late as possible.
/// @throws Error argument unless root is one of the ranks, as all others here.
[[nodiscard]] RankVector fastest_edge_first(RttMatrix const& matrix, int root);

/// The step in which the tree of p ranks crosses groups, from 1: the last one whose messages all
/// fit on the channels, floor(log2 channels) + 1, but not beyond the last of the tree.
/// @throws Error argument unless channels >= 1 (any, also not a whole number; may be infinite).
[[nodiscard]] int crossing_step(int num_ranks, double channels);

/// Channel aware ordering as published: in the crossing step the farthest rank left, in all others
/// the nearest. Ties the lowest. For two groups of equal size that is a power of two.
[[nodiscard]] RankVector
channel_aware_as_published(RttMatrix const& matrix, double channels, int root);

/// Channel aware ordering for any number and size of groups: of several ways to fill the tree the
/// one with the least completion_time() of a scatter.
///
/// They are the crossing step of above, every other crossing step, fastest edge first and the
/// standard order, in this sequence; of equally fast ones the first counts. In the crossing step
/// children are of another group, in all others of the parent's own, as long as ranks are left.
/// Each crossing step is tried in two forms. One goes by what is left: a group whose ranks do not
/// suffice is left at the end, by many small messages. The other by what is claimed: every parent
/// claims ranks of its group for the rest of its part of the tree, and a child whose part is more
/// than twice as large as what nobody claims is of another group, which takes few large messages.
/// The other group is the one with the fastest edge among those that fill the part, if none does
/// the one that fills most; in a group the nearest rank is taken, of equally near ones the lowest.
/// @param group_of_rank any number for each group.
[[nodiscard]] RankVector channel_aware(
    RttMatrix const& matrix, std::span<int const> group_of_rank, Channels const& channels, int root
);

}  // namespace espalier::mapping
