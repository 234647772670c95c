// SPDX-License-Identifier: Apache-2.0

/// @file
/// Improves any mapping by moves that keep the sizes of groups. Two groups that edges join swap
/// vertices [kernighan1970] with gains kept as vertices move [fiduccia1982]: the best vertex goes
/// over, then the best comes back, some steps uphill are allowed, and what was best on the way is
/// kept. Only boundaries move.
///
///     A A B B      A A B B      A A B B
///     A B A B  ->  A A A B  ->  A A B B      one swap, two moves
///     A A B B      A A B B      A A B B
///
/// Where no pair gets better, some groups beside each other are dissolved and grown anew, which is
/// kept if nothing is lost, a search in large neighborhoods [shaw1998]. Levels are improved from
/// the outermost in: swaps inside a node change nothing between nodes.

#pragma once

#include <cstdint>

#include "espalier/mapping/graph.hpp"
#include "espalier/mapping/orders/rank_vector.hpp"
#include "espalier/mapping/places.hpp"
#include "espalier/mapping/splitting/two_way_graph.hpp"

namespace espalier::mapping {

/// What a search did.
struct SearchResult {
  RankVector rank_at;
  std::int64_t trials = 0;  ///< vertices looked at
};

/// The result has never a higher objective than the start, which it is if nothing was found.
/// @param max_trials vertices it may look at; it ends soon after.
/// @throws Error argument unless rank_at is a permutation, of as many ranks as vertices and places.
[[nodiscard]] SearchResult local_search(
    Graph const& graph, Places const& places, RankVector const& rank_at, std::int64_t max_trials
);

/// The same without comparing in the end: of every level, what leaves all groups and the worst one
/// together gets less or stays, but an inner level may lose by what an outer one gains.
[[nodiscard]] SearchResult improved_levels(
    TwoWayGraph const& graph, Places const& places, RankVector rank_at, std::int64_t max_trials
);

}  // namespace espalier::mapping
