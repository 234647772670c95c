// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/algorithms/algorithm.hpp"

namespace espalier::algorithms {

/// Scan along a binary tree in rank order. Upwards a rank hears what the ranks of its left and of
/// its right subtree sum to and tells its parent the sum of all; downwards it hears the sum over
/// all ranks below its subtree, which it passes on to the left, and to the right with its own
/// added. What nobody needs is not sent: sums of runs that end at the last rank, or before rank 0.
[[nodiscard]] schedule::RankProgram tree_scan(Request const& request, int rank);
[[nodiscard]] Facts tree_scan_facts(Request const& request);

/// The same for an exclusive scan; the own contribution moves to scratch at once, since the result
/// is made of what arrives.
[[nodiscard]] schedule::RankProgram tree_exscan(Request const& request, int rank);
[[nodiscard]] Facts tree_exscan_facts(Request const& request);

/// Most messages that one rank sends, at least 1.
[[nodiscard]] int tree_scan_period(Request const& request);

}  // namespace espalier::algorithms
