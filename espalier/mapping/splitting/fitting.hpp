// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <vector>

#include "espalier/mapping/graph.hpp"

namespace espalier::mapping {

/// Gives every group its size by moving vertices from groups that have too many, step by step
/// through groups that edges join, to the nearest one that has too few; each step moves the vertex
/// that is best there.
/// @param group_of_vertex any of 0 .. sizes - 1.
/// @throws Error argument unless the sizes add up to the number of vertices.
[[nodiscard]] std::vector<int>
fitted(Graph const& graph, std::vector<int> group_of_vertex, std::span<int const> sizes);

}  // namespace espalier::mapping
