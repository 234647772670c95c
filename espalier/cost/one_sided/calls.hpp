// SPDX-License-Identifier: Apache-2.0

/// @file
/// Runs the one-sided programs of all ranks on a LogGP network, one collective or several behind
/// each other.
///
/// Each rank has a processor, a port of its network interface in each direction, and something that
/// copies and combines beside both, one operation at a time as in replay/replay.hpp. A message of n
/// bytes
///
/// 1. takes the processor of its initiator for the overhead o;
/// 2. takes the outgoing port for g + n G, and is on its way then: a put or a signal is complete;
/// 3. begins to reach the incoming port of its target one latency L after it began to leave, and
///    takes that port for g + n G, too;
/// 4. then is there. If targets take part (overhead_receive), it takes the processor of its target
///    for so long. After that its counter is raised.
///
/// Ports and processors serve what asks first. A message alone takes o + g + n G + L, and one that
/// follows another is g + n G behind it as long as o is no more than that. Where ranks receive one
/// message each this is tree_time() of forms/loggp.hpp, whose only o may stand at either end.
///
/// A get sends a request of 0 bytes by the rules above, which takes no processor of the target. Its
/// network interface answers at once with the data, by rules 2 and 3; the get is complete when they
/// are there. An await takes no time.
///
/// Where nodes are given, messages within a node are those of memory: they take the parameters of
/// `within`, the ports of their ranks and no processor of their target. Messages between nodes take
/// the ports of their nodes, which all ranks of a node share.
///
/// What happens at the same time happens in the order of calls, ranks and operations.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "espalier/cost/forms/loggp.hpp"
#include "espalier/cost/replay/sizes.hpp"
#include "espalier/machine/tree/speed.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::cost {

/// In any unit of time.
struct OneSidedMachine {
  LogGP network;
  /// What a put or a signal costs the processor of its target. 0: the network raises counters.
  double overhead_receive = 0;
  machine::Speed speed;
  LogGP within{};                     ///< between ranks of a node
  std::span<int const> node_of_rank;  ///< counted from 0; empty: each rank is a node

  [[nodiscard]] bool is_within(int rank, int other) const noexcept {
    return !node_of_rank.empty() && node_of_rank[static_cast<std::size_t>(rank)] ==
                                        node_of_rank[static_cast<std::size_t>(other)];
  }
};

/// When a rank begins a call.
enum class Begin : std::uint8_t {
  /// When it has left all calls before: blocking calls, back to back.
  after_earlier,
  /// When it has begun the one before: calls that are started together and waited for at the end.
  with_earlier,
};

/// A collective that all ranks call.
struct OneSidedCall {
  std::span<schedule::RankProgram const> programs;  ///< of all ranks
  Sizes sizes;
  Begin begin = Begin::after_earlier;
};

struct OneSidedTimes {
  /// Of each call, when each rank has left it: when its operations are complete.
  std::vector<std::vector<double>> left;
  /// When the last put or signal was there, which may be after its initiator has left.
  double delivered = 0;

  /// When everything is over.
  [[nodiscard]] double end() const;
};

/// All ranks may begin the first call at time 0. Each rank begins the calls in their order.
/// @throws Error unsupported if a program has messages or native calls; argument unless each call
///   has the programs of the same number of ranks, and nodes are given of all or none, counters are
///   raised as often as they are awaited and ranks do not wait for each other; as Sizes::of.
[[nodiscard]] OneSidedTimes
replay_calls(std::span<OneSidedCall const> calls, OneSidedMachine const& machine);

}  // namespace espalier::cost
