// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <vector>

#include "espalier/cost/replay/setting.hpp"
#include "espalier/cost/replay/steps.hpp"
#include "espalier/machine/tree/link.hpp"
#include "espalier/profile/call.hpp"

namespace espalier::learn {

/// Where the ranks of a communicator are, and what messages between them cost.
struct Place {
  std::vector<int> node_of_rank;  ///< any number for each node
  machine::Link between_nodes;
  machine::Link within_node;
  /// Where nobody knows the rate of the network: the link if it is as slow as such networks are.
  std::optional<machine::Link> between_nodes_if_slow = std::nullopt;
  /// What the native call takes, which tells a slow network from a fast one; 0: not known.
  double native_seconds = 0;
  double ranks_per_processor = 1;  ///< at least 1: what messages cost processors, they share
};

/// Ranks at their places, and the bytes of the whole result.
struct Situation {
  cost::Setting setting;
  double num_bytes = 0;
  double ranks_per_processor = 1;
};

/// A call at a place, or at that of the ranks that stand for its ranks. Blocks, or the vector, are
/// as large for few ranks as for many.
/// @param num_bytes of the whole result; of calls whose size not all ranks know it is ignored, and
///   blocks are taken for 1 KiB
[[nodiscard]] Situation situation_of(
    profile::Call call, double num_bytes, Place const& place, std::vector<int> const& node_of_rank
);

/// Seconds of a replay of matched steps. That has a processor for each rank. Where there are fewer,
/// a rank waits for what messages cost the other ranks of its processor, too. Of 16 ranks on 2
/// processors, what has few rounds is slow if it sends many messages, and what sends the fewest is
/// slow if it has many rounds.
[[nodiscard]] double replay_time(cost::Steps steps, Situation const& situation);

}  // namespace espalier::learn
