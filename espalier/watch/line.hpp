// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <string>

#include "espalier/watch/record.hpp"

namespace espalier::watch {

/// What is known of the rank that somebody waits for.
struct Peer {
  int world_rank = -1;
  bool could_ask = true;  ///< there is memory shared with the ranks of this node
  std::optional<Findings> findings;
};

/// `MPI_Allgather (8 ranks of MPI_COMM_WORLD, 4096 bytes, allgather/ring, round 2 of 7)`.
[[nodiscard]] std::string call_text(Activity const& activity);

/// `rank 2 is in no collective, its last one was MPI_Bcast 31 s ago`.
[[nodiscard]] std::string peer_text(Peer const& peer, Time now);

/// What a rank of MPI_COMM_WORLD says of a call in which it waits. One line, without a dot.
/// @param peer none if it waits for nobody in particular.
[[nodiscard]] std::string
line(int world_rank, Activity const& activity, std::optional<Peer> const& peer, Time now);

}  // namespace espalier::watch
