// SPDX-License-Identifier: Apache-2.0

/// @file
/// Runs the programs of all ranks on a model of a machine whose links are shared.
///
/// A message between two cores takes the link of the first level in which they differ
/// (machine::Link). Let it have n bytes; then
///
/// 1. it waits in the queue of its sender's send port, which serves one message at a time, and
///    occupies it for overhead_send;
/// 2. its bytes leave as soon as each channel on the way out is free: of the objects it leaves,
/// from
///    the core outwards to the level it crosses, then of what these objects share there, then of
///    the hops of a torus. They occupy the port for n per_byte, and for the gap after that; the
///    send is complete when they have left;
/// 3. `latency` later, hops included, they begin to arrive, and pass the channels of the objects
/// they
///    enter, inwards;
/// 4. they wait for the receive port, which takes in one message at a time, and occupy it for
///    n per_byte + overhead_receive; then they are there. The port is free after the gap.
///
/// So a message alone takes Link::alpha() + n per_byte, messages of one rank follow each other
/// after overhead_send + n per_byte + gap, and Hockney's and LogGP machines (see setting.hpp) are
/// exact where nothing is shared. Waiting moves a message as a whole: once begun it has full speed.
///
/// A channel is a server: c channels take c messages at a time, in the order in which they ask,
/// each for n per_byte. If c is no whole number, there are as many servers as c rounded up, each of
/// which rests after a message so that c messages pass in n per_byte on average. At inner levels a
/// message needs no more of a channel than at its own link's speed. Messages queue between step 2
/// and step 3 without limit, and data may arrive before its receive begins; but one with more than
/// eager_bytes enters the queue of step 1 only when its receive has begun, and arrives
/// rendezvous_latency later.
///
/// Operations start when what they wait for is complete, in program order where several can; rounds
/// mean nothing. Each rank combines and copies one operation at a time, beside its messages. What
/// happens at the same time happens in the order of ranks and operations, so results are the same
/// on every run.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/cost/replay/setting.hpp"
#include "espalier/cost/replay/sizes.hpp"
#include "espalier/cost/replay/steps.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::cost {

/// What the links of one level had to do: messages that cross it and no level above.
struct LevelUse {
  std::int64_t messages = 0;
  double bytes = 0;
  /// Seconds for which the channels of the level, or one link of the torus, were in use at the
  /// object where that is most; 0 if nothing is shared.
  double busiest = 0;
  /// Sum over messages of the seconds for which they waited for channels of this level.
  double waiting = 0;
};

struct Replay {
  std::vector<double> finished;  ///< seconds after the common start, of each rank
  std::vector<LevelUse> levels;  ///< of the machine

  /// When the last rank has finished.
  [[nodiscard]] double seconds() const;
};

/// @throws Error argument unless there is a program for each rank; if a message has no partner, its
///   ends differ in size, or ranks wait for each other; as Sizes::of.
[[nodiscard]] Replay
replay(std::span<schedule::RankProgram const> programs, Setting const& setting, Sizes const& sizes);

/// The same of steps that are matched.
[[nodiscard]] Replay replay(Steps steps, Setting const& setting);

/// The same, holding one program at a time.
/// @throws Error as Choice::generate.
[[nodiscard]] Replay
replay(algorithms::Choice const& choice, int root, Setting const& setting, Sizes const& sizes);

/// When the last rank has finished.
[[nodiscard]] double
replay_time(algorithms::Choice const& choice, int root, Setting const& setting, Sizes const& sizes);

}  // namespace espalier::cost
