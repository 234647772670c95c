// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "espalier/schedule/builder.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::neighborhood {

/// Writes a program whose rounds all receive into memory that nothing else writes. So every receive
/// may be there before its message is; what is sent in a round waits only for what came in the
/// rounds before, and for the first copies:
///
///     receives of round 0, sends of round 0, first copies, receives of rounds 1, 2, ...,
///     sends of round 1, copies of what round 0 brought, sends of round 2, ...
///
/// Messages of a pair match in the order in which they were added, round by round.
class Stages {
public:
  using Slots = std::vector<schedule::Slot>;

  Stages(schedule::Frame frame, int rank) : builder_(std::move(frame), rank) {}

  /// A new scratch block with this label.
  schedule::Slot scratch(int label);

  void recv(int round, int peer, Slots slots);
  /// Of input blocks, and of what earlier rounds and first copies wrote; in round 0 of input alone.
  void send(int round, int peer, Slots slots);
  /// From the input, before anything of round 1. No slots: nothing.
  void copy_first(Slots destination, Slots source);
  /// From what messages of a round brought. No slots: nothing.
  void copy_after(int round, Slots destination, Slots source);

  [[nodiscard]] schedule::RankProgram finish() &&;

private:
  struct Step {
    schedule::Operation operation;
    Slots slots;
    Slots sources;
  };

  struct Round {
    std::vector<Step> receives;
    std::vector<Step> sends;
    std::vector<Step> copies;
  };

  Round& at(int round);
  /// Appends steps that wait for all writes among the first `after` operations.
  void emit(std::vector<Step> const& steps, int after);
  [[nodiscard]] Slots coalesced(Slots const& slots) const;

  schedule::Builder builder_;
  std::vector<int> labels_;  ///< of scratch blocks
  std::vector<Round> rounds_;
  std::vector<Step> first_copies_;
};

}  // namespace espalier::neighborhood
