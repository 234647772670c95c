// SPDX-License-Identifier: Apache-2.0

/// @file
/// The replay for lines that messages share equally, as network simulators and fair networks do it,
/// where cost/replay/replay.hpp lets messages wait for each other. The difference matters where a
/// rank has several messages under way: in a queue the first of them is there early and can be
/// passed on, on shared lines all of them arrive late.
///
/// A message of n bytes
///
/// 1. keeps its sender for overhead_send if n is at most eager_bytes, and leaves after that; if
///    not, it leaves when both ends have begun;
/// 2. passes the lines of simulation::Network after the latency, see cost/replay/flows.hpp;
/// 3. keeps its receiver for overhead_receive if n is at most eager_bytes.
///
/// The send is complete after step 1 if n is at most eager_bytes, otherwise when the message is
/// there. A rank pays one overhead at a time. Gaps and rendezvous latencies do not count.

#pragma once

#include "espalier/algorithms/catalog.hpp"
#include "espalier/cost/replay/setting.hpp"
#include "espalier/cost/replay/sizes.hpp"

namespace espalier::cost {

/// When the last rank has finished.
/// @throws Error as Choice::generate.
[[nodiscard]] double
shared_time(algorithms::Choice const& choice, int root, Setting const& setting, Sizes const& sizes);

}  // namespace espalier::cost
