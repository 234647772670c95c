// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "espalier/cost/replay/setting.hpp"
#include "espalier/schedule/collective.hpp"

namespace espalier::cost {

/// Seconds that no schedule can do without, by two arguments.
struct LowerBound {
  double rounds = 0;  ///< until news has spread from one rank to all, or come from all to one
  double bytes = 0;   ///< until what must cross a border has crossed it

  [[nodiscard]] double seconds() const noexcept { return rounds > bytes ? rounds : bytes; }
};

/// What a collective takes at least on a machine, by any messages between any ranks; true for the
/// replay (replay.hpp) and for the simulator (espalier/simulation), where a rank may send at all
/// levels at once, messages above eager_bytes have no overheads, and a line is shared.
///
/// Rounds: a message takes latency and both overheads at least, or latency and the time of
/// eager_bytes; a rank begins one send, and ends one receive, an overhead after the other. So news
/// is in n places at the soonest when it doubles that way, by the cheapest level; and in all
/// objects of an outer level no sooner than when the last of these messages, begun by whoever could
/// know, has crossed that level.
///
/// Bytes: what enters an object (demand.hpp) comes through its channels, from within the object
/// around it through what that shares, or into that from outside; what enters all objects inside
/// another one comes the same ways. So it does in the other direction, both together where the
/// link is half duplex, and for each half of a torus. The last byte has the latency still before
/// it.
///
/// @param num_bytes of the whole result; nothing has to happen for 0 bytes but in a barrier. Where
///   parts may differ in size, the bound holds for p times the smallest.
/// @throws Error argument unless there are ranks, on cores of the machine, and the root is one.
[[nodiscard]] LowerBound
lower_bound(schedule::Collective collective, int root, Setting const& setting, double num_bytes);

}  // namespace espalier::cost
