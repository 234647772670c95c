// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <span>
#include <vector>

#include "espalier/mapping/graph.hpp"
#include "espalier/mapping/places.hpp"
#include "espalier/mapping/walk.hpp"

namespace espalier::mapping {

/// Puts the vertices of a graph into groups of given sizes, whose sum is their number: the group of
/// each vertex.
using Split = std::function<std::vector<int>(Graph const&, std::span<int const> sizes)>;

/// Splits a graph into the groups of the outermost level, then each of them into those of the next,
/// and so on; vertices of an innermost group stay ascending.
[[nodiscard]] Walk split_levels(Graph const& graph, Places const& places, Split const& split);

}  // namespace espalier::mapping
