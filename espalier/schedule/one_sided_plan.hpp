// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the peers of a rank have to know to write into its memory and raise its counters. Each of
/// them makes the same plan from the program of that rank.

#pragma once

#include <map>
#include <span>
#include <vector>

#include "espalier/schedule/one_sided.hpp"
#include "espalier/schedule/program.hpp"

namespace espalier::schedule {

/// Numbers that follow from the form and the survey alone.
struct OneSidedLayout {
  int num_entry_rounds = 0;    ///< before the first message: who has entered
  int rounds_per_round = 1;    ///< for each round of messages
  int num_entry_counters = 0;  ///< of a rank: these come first
  int num_leave_counters = 0;  ///< then these, then those of messages
  bool enters_by_tree = false;
  bool enters_by_barrier = false;
  bool leaves_by_tree = false;
  bool leaves_by_barrier = false;
};

[[nodiscard]] OneSidedLayout layout_of(OneSidedForm const& form, Survey const& found);

/// Blocks of own memory as slots that do not wrap.
[[nodiscard]] std::vector<Slot> slots_of(Buffer buffer, std::span<int const> blocks);

/// Whether slots lie in memory that the user sees.
[[nodiscard]] bool are_user_blocks(std::span<Slot const> slots) noexcept;

/// Of each operation of the program of messages, by its index.
struct PlannedOperation {
  std::vector<Slot> slots;    ///< in the scratch memory of the result
  std::vector<Slot> sources;  ///< the same
  std::vector<Slot> landing;  ///< receives: where the data arrive; empty for signals
  bool is_copied = false;     ///< receives: from the landing to the slots
  bool says_ready = false;    ///< receives: that the rank has entered, before the sender may put
  bool awaits_done = false;   ///< sends of a rendezvous: the receiver says when it has the data
  /// Receives: the counter that says of the arrival. Sends: the one that says ready or done.
  int counter = no_counter;
  int num_arrivals = 0;          ///< receives: at that counter in all
  bool is_last_arrival = false;  ///< receives: in program order of those with this counter
};

struct RankPlan {
  RankProgram program;  ///< of messages
  Frame frame;          ///< of the result
  std::vector<PlannedOperation> operations;
  std::map<int, std::vector<int>> sends_to;  ///< operations by peer, in program order
  std::map<int, std::vector<int>> receives_from;
};

[[nodiscard]] RankPlan
plan_one_sided(RankProgram program, OneSidedForm const& form, OneSidedLayout const& layout);

}  // namespace espalier::schedule
