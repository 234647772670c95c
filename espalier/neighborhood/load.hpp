// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <vector>

#include "espalier/neighborhood/algorithm.hpp"

namespace espalier::neighborhood {

/// Messages and blocks of one rank over one kind of link, sent or received, whichever is more.
struct Load {
  std::int64_t messages = 0;
  std::int64_t blocks = 0;

  friend bool operator==(Load const&, Load const&) = default;
};

/// The most that there is in a round.
struct RoundLoad {
  Load across;                   ///< of a rank, between nodes; all messages if nodes are not known
  Load inside;                   ///< of a rank, inside its node
  std::int64_t node_blocks = 0;  ///< that leave a node, or enter it

  friend bool operator==(RoundLoad const&, RoundLoad const&) = default;
};

/// Counted in the programs of all ranks: O(edges of all ranks).
/// @throws Error as generate().
[[nodiscard]] std::vector<RoundLoad> loads(Algorithm const& algorithm, Request const& request);

}  // namespace espalier::neighborhood
