// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <vector>

#include "espalier/neighborhood/forest.hpp"

namespace espalier::neighborhood {

/// The messages of one hop of a stage: stops whose blocks leave in one, and stops whose blocks
/// come in the other.
struct Hop {
  int stage = 0;
  int distance = 0;
  std::vector<int> departing;
  std::vector<int> arriving;
};

/// What one rank does of a forest.
///
/// A message lies in one buffer. What has to travel on is received into scratch, with all that
/// comes in the same message; and own blocks that leave together with such blocks are put there.
class Share {
public:
  /// Without a rank: that of one whose neighbours all exist.
  Share(Isomorphic const& all, Forest const& forest, std::optional<int> rank);

  /// By stage; those in which the rank has no part are left out.
  [[nodiscard]] std::vector<Hop> const& hops() const noexcept { return hops_; }

  /// Whether what is received is kept in scratch.
  [[nodiscard]] bool keeps(Hop const& hop) const;
  /// Whether what is sent has come from other ranks, in part at least.
  [[nodiscard]] bool passes_on(Hop const& hop) const;
  [[nodiscard]] int num_scratch_blocks() const;

private:
  Forest const& forest_;
  std::vector<Hop> hops_;
  std::vector<bool> is_passed_on_;  ///< of each stop: it arrives, and something departs from it
};

}  // namespace espalier::neighborhood
