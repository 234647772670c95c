// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/one_sided_plan.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <utility>

#include "espalier/schedule/one_sided_barrier.hpp"

namespace espalier::schedule {
namespace {

/// Which blocks of a rank the operations so far have touched.
class Touched {
public:
  explicit Touched(Frame const& frame) : frame_(frame) {
    for (Buffer const buffer : {Buffer::input, Buffer::output, Buffer::scratch}) {
      of(buffer).resize(static_cast<std::size_t>(frame.num_blocks(buffer)));
    }
  }

  [[nodiscard]] bool any(std::span<Slot const> slots) {
    bool result = false;
    for_each_block(frame_, slots, [&](Buffer buffer, int block) {
      result = result || of(buffer)[static_cast<std::size_t>(block)];
    });
    return result;
  }

  void add(std::span<Slot const> slots) {
    for_each_block(frame_, slots, [&](Buffer buffer, int block) {
      of(buffer)[static_cast<std::size_t>(block)] = true;
    });
  }

private:
  std::vector<bool>& of(Buffer buffer) { return blocks_[static_cast<std::size_t>(buffer)]; }

  Frame const& frame_;
  std::array<std::vector<bool>, 3> blocks_;
};

/// Walks through a program of messages once.
class Planner {
public:
  Planner(RankProgram program, OneSidedForm const& form, OneSidedLayout const& layout)
      : form_(form),
        plan_{
            .program = std::move(program),
            .frame = {},
            .operations = {},
            .sends_to = {},
            .receives_from = {}
        },
        next_counter_(layout.num_entry_counters + layout.num_leave_counters),
        touched_(plan_.program.frame) {
    plan_.frame = plan_.program.frame;
    place_of_.resize(plan_.frame.scratch_like.size());
    std::iota(place_of_.begin(), place_of_.end(), 0);
  }

  RankPlan run() {
    int index = 0;
    for (Operation const& operation : plan_.program.operations) {
      plan_.operations.push_back(planned(operation, index));
      touched_.add(plan_.program.sources(operation));
      touched_.add(plan_.program.slots(operation));
      ++index;
    }
    return std::move(plan_);
  }

private:
  [[nodiscard]] bool puts() const noexcept { return form_.mechanism != Mechanism::rendezvous; }

  /// Whether data that end in user memory go through scratch memory.
  [[nodiscard]] bool goes_through_scratch() const noexcept {
    return form_.mechanism == Mechanism::eager ||
           (form_.mechanism == Mechanism::counting_put && form_.addresses == AddressMode::local);
  }

  PlannedOperation planned(Operation const& operation, int index) {
    PlannedOperation result;
    result.sources = renamed(plan_.program.sources(operation));
    if (operation.kind == Kind::recv) {
      plan_.receives_from[operation.peer].push_back(index);
      plan_receive(operation, result);
      assign_arrival(index, result);
    } else {
      result.slots = renamed(plan_.program.slots(operation));
    }
    if (operation.kind == Kind::send) {
      plan_.sends_to[operation.peer].push_back(index);
      result.awaits_done = awaits_done(operation, index);
      result.counter = next_counter_++;
    }
    return result;
  }

  void plan_receive(Operation const& operation, PlannedOperation& result) {
    auto const slots = plan_.program.slots(operation);
    if (slots.empty() || !puts()) {
      result.slots = renamed(slots);
      result.landing = result.slots;
      return;
    }
    if (!are_user_blocks(slots)) {
      rename_touched(slots);
      result.slots = renamed(slots);
      result.landing = result.slots;
      return;
    }
    result.slots = renamed(slots);
    if (goes_through_scratch() || touched_.any(slots)) {
      result.landing = new_scratch(slots);
      result.is_copied = true;
    } else {
      result.landing = result.slots;
      result.says_ready = form_.mode.in == Sync::mysync;
    }
  }

  /// Receives of which no operation awaits some without the others share a counter.
  void assign_arrival(int index, PlannedOperation& result) {
    result.is_last_arrival = true;
    result.num_arrivals = 1;
    if (form_.mechanism == Mechanism::counting_put && last_receive_ >= 0 &&
        are_awaited_together(last_receive_, index)) {
      PlannedOperation& last = plan_.operations[static_cast<std::size_t>(last_receive_)];
      last.is_last_arrival = false;
      result.counter = last.counter;
      result.num_arrivals = last.num_arrivals + 1;
    } else {
      result.counter = next_counter_++;
    }
    last_receive_ = index;
  }

  [[nodiscard]] bool are_awaited_together(int earlier, int later) const {
    auto const& operations = plan_.program.operations;
    return std::ranges::none_of(operations, [&](Operation const& operation) {
      return operation.after > earlier && operation.after <= later;
    });
  }

  /// Whether a get from the memory of this rank must have ended before it goes on, or leaves.
  [[nodiscard]] bool awaits_done(Operation const& operation, int index) const {
    auto const slots = plan_.program.slots(operation);
    if (puts() || slots.empty()) {
      return false;
    }
    bool const is_written_again =
        std::ranges::any_of(plan_.program.operations, [&](Operation const& later) {
          return later.after_sends > index;
        });
    return is_written_again || (form_.mode.out == Sync::mysync && are_user_blocks(slots));
  }

  /// The same blocks, of which scratch blocks may lie elsewhere.
  [[nodiscard]] std::vector<Slot> renamed(std::span<Slot const> slots) const {
    if (are_user_blocks(slots)) {
      return {slots.begin(), slots.end()};
    }
    std::vector<int> blocks;
    for_each_block(plan_.program.frame, slots, [&](Buffer /*buffer*/, int block) {
      blocks.push_back(place_of_[static_cast<std::size_t>(block)]);
    });
    return slots_of(Buffer::scratch, blocks);
  }

  /// Scratch blocks that were used before get new places: nobody has to wait for the old ones.
  void rename_touched(std::span<Slot const> slots) {
    if (!touched_.any(slots)) {
      return;
    }
    for_each_block(plan_.program.frame, slots, [&](Buffer buffer, int block) {
      place_of_[static_cast<std::size_t>(block)] =
          static_cast<int>(plan_.frame.scratch_like.size());
      plan_.frame.scratch_like.push_back(plan_.program.frame.like(buffer, block));
    });
  }

  std::vector<Slot> new_scratch(std::span<Slot const> like) {
    std::vector<int> blocks;
    for_each_block(plan_.program.frame, like, [&](Buffer buffer, int block) {
      blocks.push_back(static_cast<int>(plan_.frame.scratch_like.size()));
      plan_.frame.scratch_like.push_back(plan_.program.frame.like(buffer, block));
    });
    return slots_of(Buffer::scratch, blocks);
  }

  OneSidedForm const& form_;
  RankPlan plan_;
  int next_counter_;
  int last_receive_ = -1;
  Touched touched_;
  std::vector<int> place_of_;  ///< of each scratch block of the program of messages
};

}  // namespace

OneSidedLayout layout_of(OneSidedForm const& form, Survey const& found) {
  OneSidedLayout layout;
  bool const has_modes = found.moves_data && found.num_ranks > 1;
  int const num_barrier_rounds = OneSidedBarrier(found.num_ranks, form.node_of_rank).num_steps();
  if (has_modes && form.mode.in == Sync::allsync) {
    layout.enters_by_tree = found.flows_down;
    layout.enters_by_barrier = !layout.enters_by_tree;
    layout.num_entry_rounds = layout.enters_by_tree ? found.num_rounds : num_barrier_rounds;
    layout.num_entry_counters = layout.enters_by_tree ? 1 : num_barrier_rounds;
  }
  if (has_modes && form.mode.out == Sync::allsync) {
    layout.leaves_by_tree = found.flows_up;
    layout.leaves_by_barrier = !layout.leaves_by_tree;
    layout.num_leave_counters = layout.leaves_by_tree ? 1 : num_barrier_rounds;
  }
  bool const puts_to_user =
      form.mechanism == Mechanism::signaling_put ||
      (form.mechanism == Mechanism::counting_put && form.addresses == AddressMode::single);
  if (found.moves_data && form.mechanism == Mechanism::rendezvous) {
    bool const says_done = form.mode.out == Sync::mysync || found.waits_for_sends;
    layout.rounds_per_round = says_done ? 3 : 2;
  } else if (found.moves_data && puts_to_user && form.mode.in == Sync::mysync) {
    layout.num_entry_rounds = 1;
  }
  return layout;
}

std::vector<Slot> slots_of(Buffer buffer, std::span<int const> blocks) {
  std::vector<Slot> slots;
  for (int const block : blocks) {
    bool const begins = slots.empty() || block <= slots.back().first;
    if (!begins && slots.back().num_blocks == 1) {
      slots.back().stride = block - slots.back().first;
      slots.back().num_blocks = 2;
    } else if (!begins &&
               block == slots.back().first + slots.back().stride * slots.back().num_blocks) {
      ++slots.back().num_blocks;
    } else {
      slots.push_back({.buffer = buffer, .first = block});
    }
  }
  return slots;
}

bool are_user_blocks(std::span<Slot const> slots) noexcept {
  return !slots.empty() && slots.front().buffer != Buffer::scratch;
}

RankPlan
plan_one_sided(RankProgram program, OneSidedForm const& form, OneSidedLayout const& layout) {
  return Planner(std::move(program), form, layout).run();
}

}  // namespace espalier::schedule
