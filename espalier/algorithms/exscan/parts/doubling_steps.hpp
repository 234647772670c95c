// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

namespace espalier::algorithms {

/// A round of an exclusive scan: every rank sends a sum to the rank `distance` above it.
struct DoublingStep {
  int distance = 1;
  bool is_inclusive = true;  ///< the sum includes the sender

  friend bool operator==(DoublingStep const&, DoublingStep const&) = default;
};

/// Rounds until every rank has the sum over all ranks below it.
/// @param inclusive how many rounds send inclusive sums before the others send exclusive ones; 0:
/// as few as ceil(log2 p) rounds allow.
[[nodiscard]] std::vector<DoublingStep> doubling_steps(int p, int inclusive);

}  // namespace espalier::algorithms
