// SPDX-License-Identifier: Apache-2.0

/// @file
/// Tries all ways to put a grid or a graph onto nodes and keeps the best. Deterministic: the same
/// input gives the same mapping on every rank and machine; limits are counts of work, not times.

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/mapping/graph.hpp"
#include "espalier/mapping/orders/rank_vector.hpp"
#include "espalier/mapping/places.hpp"
#include "espalier/mapping/score.hpp"
#include "espalier/mapping/walk.hpp"

namespace espalier::mapping {

/// What became of one algorithm of the portfolio.
struct Trial {
  std::string algorithm;       ///< identity, hyperplane, ..., `hyperplane + search`
  std::string refusal;         ///< why it could not serve; empty if it did
  std::optional<Score> score;  ///< none if it refused, or the work allowed was spent before
};

/// A permutation of ranks and how it was found.
struct Mapping {
  RankVector rank_at;  ///< rank_at[i] = the rank of the old communicator that becomes rank i
  std::string algorithm;
  Score before;  ///< of the identity
  Score after;
  std::vector<Trial> trials;
  bool are_counts = true;  ///< all weights are 1: cuts count neighbours

  [[nodiscard]] bool is_identity() const noexcept { return algorithm == "identity"; }
};

/// A way to map a graph that stands outside this layer (Scotch).
struct GraphMapper {
  std::string name;
  std::function<RankVector(Graph const&, Places const&)> map;
  /// As in GraphAlgorithm.
  std::int64_t most_edges_of_grid = std::numeric_limits<std::int64_t>::max();
};

struct MappingOptions {
  /// Names of algorithms to try; empty: all. `identity` is always there.
  std::vector<std::string> algorithms{};
  /// Improve the best by swapping ranks of different groups.
  bool searches = true;
  /// Limit of the search, in vertices looked at; the default keeps 10^5 ranks under 1 s and 10^6
  /// under 10 s.
  std::optional<std::int64_t> max_trials{};
  std::vector<GraphMapper> mappers{};
};

/// Never worse than the identity (see is_better()), which it returns if nothing is better. Without
/// names, graph algorithms are left out for large grids; their trials say so.
/// @throws Error argument if grid, stencil and places do not fit each other: as many positions as
///   ranks, as many dimensions; or for an unknown algorithm.
[[nodiscard]] Mapping map_grid(Problem const& problem, MappingOptions const& options = {});

/// The same for any graph: walks do not apply, graph algorithms and the search do.
[[nodiscard]] Mapping
map_graph(Graph const& graph, Places const& places, MappingOptions const& options = {});

/// "inter-node neighbours 4704 -> 1232, worst node 96 -> 28", or why nothing changes.
[[nodiscard]] std::string one_line(Mapping const& mapping, Places const& places);

}  // namespace espalier::mapping
