// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "espalier/algorithms/catalog.hpp"

namespace espalier::candidates {

/// What is worth measuring beside choices because ranks of a node can share memory: the same ones
/// with `shared_memory=1`. On one node these are all choices; on several nodes those whose groups
/// are given, as others send most of their messages between nodes. None where no two ranks share a
/// node.
///
/// No model knows the difference, so these are for whoever measures them afterwards.
/// @param node_of_rank  any number for each node
[[nodiscard]] std::vector<algorithms::Choice> memory_variants(
    std::vector<algorithms::Choice> const& choices, std::vector<int> const& node_of_rank
);

}  // namespace espalier::candidates
