// SPDX-License-Identifier: Apache-2.0

/// @file
/// Algorithms that order the vertices of any graph: groups of the places, of any sizes, take what
/// stands together. They know no grid, and serve irregular neighborhoods as well.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "espalier/mapping/graph.hpp"
#include "espalier/mapping/places.hpp"
#include "espalier/mapping/walk.hpp"

namespace espalier::mapping {

/// One algorithm that orders vertices; a file each in `mapping/graphs/`, a line in the list of the
/// CMakeLists.txt.
struct GraphAlgorithm {
  std::string_view name;
  std::string_view summary;  ///< one sentence, no full stop
  std::string_view source;   ///< keys of docs/references.bib, separated by commas
  /// Edges of the largest grid it is tried on when algorithms are not named: walks serve larger
  /// ones in much less time.
  std::int64_t most_edges_of_grid = 0;
  /// Element i of places.hardware_order() is to come to vertex walk[i]. Takes graphs whose edges go
  /// both ways, as symmetric() makes them.
  Walk (*walk)(Graph const&, Places const&) = nullptr;
};

/// In the order in which they are tried; equal scores are decided by it.
[[nodiscard]] std::span<GraphAlgorithm const* const> graph_algorithms() noexcept;

}  // namespace espalier::mapping
