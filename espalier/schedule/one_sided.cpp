// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/one_sided.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/dataflow_writer.hpp"
#include "espalier/schedule/one_sided_barrier.hpp"
#include "espalier/schedule/one_sided_plan.hpp"
#include "espalier/schedule/one_sided_segments.hpp"

namespace espalier::schedule {
namespace {

constexpr int nothing = -1;  ///< as an operation of the result

/// By rank, as far as they were asked for.
using Plans = std::map<int, RankPlan>;

/// One rank.
class OneSidedTransform {
public:
  OneSidedTransform(
      int rank,
      OneSidedForm const& form,
      Survey const& found,
      ProgramOf const& program_of,
      Plans& plans
  )
      : rank_(rank), form_(form), survey_(found), layout_(layout_of(form, found)),
        program_of_(program_of), plans_(plans), plan_(plan_of(rank)), writer_(plan_.frame, rank) {}

  RankProgram run() {
    enter();
    MovingPart part{.begin = writer_.size()};
    for (index_ = 0; index_ < num_operations(); ++index_) {
      add(operation(index_), planned(index_));
    }
    part.end = writer_.size();
    part.first_counter = layout_.num_entry_counters + layout_.num_leave_counters;
    leave();
    Segments const segments{
        .number = form_.segments.number,
        .period = form_.segments.period * layout_.rounds_per_round,
    };
    return in_segments(std::move(writer_).finish(), segments, part);
  }

private:
  [[nodiscard]] int num_operations() const noexcept {
    return static_cast<int>(plan_.program.operations.size());
  }

  [[nodiscard]] Operation const& operation(int index) const {
    return plan_.program.operations[static_cast<std::size_t>(index)];
  }

  [[nodiscard]] PlannedOperation const& planned(int index) const {
    return plan_.operations[static_cast<std::size_t>(index)];
  }

  RankPlan const& plan_of(int rank) {
    auto found = plans_.find(rank);
    if (found == plans_.end()) {
      found = plans_.emplace(rank, plan_one_sided(program_of_(rank), form_, layout_)).first;
    }
    return found->second;
  }

  /// The other end of the message that is the operation `index_`.
  PlannedOperation const& partner(Operation const& own) {
    bool const sends = own.kind == Kind::send;
    RankPlan const& peer = plan_of(own.peer);
    std::vector<int> const& mine = (sends ? plan_.sends_to : plan_.receives_from).at(own.peer);
    auto const number = static_cast<std::size_t>(std::ranges::find(mine, index_) - mine.begin());
    auto const& theirs = sends ? peer.receives_from : peer.sends_to;
    auto const of_this_rank = theirs.find(rank_);
    if (of_this_rank == theirs.end() || of_this_rank->second.size() <= number) {
      throw Error(
          ErrorCode::argument,
          "one_sided needs programs that fit together, but rank " + std::to_string(own.peer) +
              " has no message for operation " + std::to_string(index_) + " of rank " +
              std::to_string(rank_)
      );
    }
    return peer.operations[static_cast<std::size_t>(of_this_rank->second[number])];
  }

  /// The round of the result for the given step of a message.
  [[nodiscard]] int round(Operation const& own, int step) const noexcept {
    return layout_.num_entry_rounds + own.round * layout_.rounds_per_round + step;
  }

  [[nodiscard]] int last_step() const noexcept { return layout_.rounds_per_round - 1; }

  /// In which step of a round it is known that a message is there.
  [[nodiscard]] int step_of_arrival() const noexcept {
    return form_.mechanism == Mechanism::rendezvous ? 0 : last_step();
  }

  void enter() {
    if (layout_.enters_by_barrier) {
      entry_ = add_barrier(0, 0);
    } else if (layout_.enters_by_tree) {
      enter_by_tree();
    }
  }

  /// Arrivals go up the tree in which the data come down.
  void enter_by_tree() {
    int num_children = 0;
    int first_round = survey_.num_rounds;
    for (auto const& [child, sends] : plan_.sends_to) {
      ++num_children;
      first_round = std::min(first_round, operation(sends.front()).round);
    }
    if (num_children > 0) {
      entry_.push_back(writer_.add(
          {.kind = Kind::await,
           .tag = 0,
           .arrivals = num_children,
           .round = survey_.num_rounds - 1 - first_round},
          {}
      ));
    }
    for (auto const& [parent, receives] : plan_.receives_from) {
      int const own_round = operation(receives.front()).round;
      writer_.add(
          {.kind = Kind::signal,
           .peer = parent,
           .tag = 0,
           .round = survey_.num_rounds - 1 - own_round},
          entry_
      );
      // That all have entered is known when the data come.
      entry_.clear();
    }
  }

  void leave() {
    int const first_round =
        layout_.num_entry_rounds + survey_.num_rounds * layout_.rounds_per_round;
    if (layout_.leaves_by_barrier) {
      add_barrier(layout_.num_entry_counters, first_round);
    } else if (layout_.leaves_by_tree) {
      leave_by_tree(layout_.num_entry_counters, first_round);
    }
  }

  /// The release goes down the tree in which the data came up: first to whose data came last, as
  /// most ranks wait below it.
  void leave_by_tree(int counter, int first_round) {
    auto const round_of = [&](int index) {
      return first_round + survey_.num_rounds - 1 - operation(index).round;
    };
    for (auto const& [parent, sends] : plan_.sends_to) {
      writer_.add_last(
          {.kind = Kind::await, .tag = counter, .arrivals = 1, .round = round_of(sends.front())}
      );
    }
    Operation release{.kind = Kind::signal, .tag = counter};
    int const end = writer_.size();
    std::vector<std::pair<int, int>> children;  // and the round in which they are released
    for (auto const& [child, receives] : plan_.receives_from) {
      children.emplace_back(round_of(receives.front()), child);
    }
    std::ranges::sort(children);
    for (auto const& [round, child] : children) {
      release.peer = child;
      release.round = round;
      release.after = end;
      release.after_sends = end;
      writer_.add(release, {});
    }
  }

  /// Behind everything so far. All have come this far when all the awaits are complete, which are
  /// returned.
  std::vector<int> add_barrier(int first_counter, int first_round) {
    OneSidedBarrier const barrier(survey_.num_ranks, form_.node_of_rank);
    std::vector<int> awaits;
    for (OneSidedBarrier::Step const& step : barrier.steps_of(rank_)) {
      Operation next{.tag = first_counter + step.number, .round = first_round + step.number};
      next.kind = Kind::signal;
      int const end = writer_.size();
      for (int const peer : step.signals) {
        next.peer = peer;
        next.after = end;
        next.after_sends = end;
        writer_.add(next, {});
      }
      if (step.num_arrivals > 0) {
        awaits.push_back(writer_.add(
            {.kind = Kind::await,
             .tag = next.tag,
             .arrivals = step.num_arrivals,
             .round = next.round},
            {}
        ));
      }
    }
    return awaits;
  }

  void add(Operation const& own, PlannedOperation const& plan) {
    int done = nothing;
    switch (own.kind) {
    case Kind::send:
      done = plan.slots.empty()                         ? add_signal(own)
             : form_.mechanism == Mechanism::rendezvous ? add_offer(own, plan)
                                                        : add_put(own, plan);
      break;
    case Kind::recv:
      done = form_.mechanism == Mechanism::rendezvous && !plan.slots.empty()
                 ? add_get(own, plan)
                 : add_arrival(own, plan);
      break;
    default:
      done = writer_.add(
          {.kind = own.kind, .round = round(own, last_step())}, plan.slots, plan.sources, waits(own)
      );
      break;
    }
    done_.push_back(done);
  }

  int add_signal(Operation const& own) {
    return writer_.add(
        {.kind = Kind::signal,
         .peer = own.peer,
         .tag = partner(own).counter,
         .round = round(own, step_of_arrival())},
        waits(own)
    );
  }

  int add_put(Operation const& own, PlannedOperation const& plan) {
    PlannedOperation const& receive = partner(own);
    std::vector<int> awaited = waits(own);
    if (receive.says_ready) {
      awaited.push_back(add_await(plan.counter, 0));
    }
    return writer_.add(
        {.kind = Kind::put,
         .peer = own.peer,
         .tag = receive.counter,
         .round = round(own, last_step())},
        as_remote(plan_of(own.peer), receive.landing),
        plan.slots,
        awaited
    );
  }

  /// The receiver gets the data; what waits for this send waits until it has them.
  int add_offer(Operation const& own, PlannedOperation const& plan) {
    int const offer = add_signal(own);
    return plan.awaits_done ? add_await(plan.counter, round(own, 2)) : offer;
  }

  int add_await(int counter, int round_of_raise) {
    return writer_.add(
        {.kind = Kind::await, .tag = counter, .arrivals = 1, .round = round_of_raise}, {}
    );
  }

  int add_arrival(Operation const& own, PlannedOperation const& plan) {
    std::vector<int> awaited = waits(own);
    if (plan.says_ready) {
      writer_.add(
          {.kind = Kind::signal, .peer = own.peer, .tag = partner(own).counter, .round = 0}, {}
      );
    }
    group_.push_back(index_);
    group_waits_.insert(group_waits_.end(), awaited.begin(), awaited.end());
    return plan.is_last_arrival ? end_group(own, plan) : nothing;
  }

  /// All receives that share a counter are there together.
  int end_group(Operation const& own, PlannedOperation const& plan) {
    int last_round = 0;
    for (int const member : group_) {
      last_round = std::max(last_round, round(operation(member), step_of_arrival()));
    }
    int const arrived = writer_.add(
        {.kind = Kind::await,
         .tag = plan.counter,
         .arrivals = plan.num_arrivals,
         .round = last_round},
        std::exchange(group_waits_, {})
    );
    int done = arrived;
    for (int const member : std::exchange(group_, {})) {
      PlannedOperation const& received = planned(member);
      done = received.is_copied ? writer_.add(
                                      {.kind = Kind::copy, .round = round(own, last_step())},
                                      received.slots,
                                      received.landing,
                                      {arrived}
                                  )
                                : arrived;
      if (member < index_) {
        done_[static_cast<std::size_t>(member)] = done;
      }
    }
    return done;
  }

  int add_get(Operation const& own, PlannedOperation const& plan) {
    PlannedOperation const& send = partner(own);
    std::vector<int> awaited = waits(own);
    awaited.push_back(add_await(plan.counter, round(own, step_of_arrival())));
    int const got = writer_.add(
        {.kind = Kind::get, .peer = own.peer, .round = round(own, 1)},
        plan.slots,
        as_remote(plan_of(own.peer), send.slots),
        awaited
    );
    if (send.awaits_done) {
      writer_.add(
          {.kind = Kind::signal, .peer = own.peer, .tag = send.counter, .round = round(own, 2)},
          {got}
      );
    }
    return got;
  }

  /// The same blocks without wrapping.
  static std::vector<Slot> as_remote(RankPlan const& peer, std::vector<Slot> const& slots) {
    std::vector<int> blocks;
    for_each_block(peer.frame, slots, [&](Buffer /*buffer*/, int block) {
      blocks.push_back(block);
    });
    return slots_of(slots.front().buffer, blocks);
  }

  /// What an operation waited for before, as few as possible: a write for which another one waits
  /// need not be named.
  [[nodiscard]] std::vector<int> waits(Operation const& own) const {
    int first_write = 0;
    int first_send = 0;
    for (int i = 0; i < own.after; ++i) {
      if (operation(i).writes()) {
        first_write = std::max(first_write, operation(i).after);
        first_send = std::max(first_send, operation(i).after_sends);
      }
    }
    std::vector<int> awaited;
    for (int i = first_write; i < own.after; ++i) {
      if (operation(i).writes()) {
        awaited.push_back(done_[static_cast<std::size_t>(i)]);
      }
    }
    for (int i = first_send; i < own.after_sends; ++i) {
      if (!operation(i).writes()) {
        awaited.push_back(done_[static_cast<std::size_t>(i)]);
      }
    }
    return awaited.empty() ? entry(own) : awaited;
  }

  /// What tells an operation that waits for nothing else that it may begin.
  [[nodiscard]] std::vector<int> entry(Operation const& own) const {
    bool const begins_with_data = layout_.enters_by_tree && entry_.empty();
    return begins_with_data && own.kind != Kind::recv ? std::vector{done_.front()} : entry_;
  }

  int rank_;
  OneSidedForm form_;
  Survey survey_;
  OneSidedLayout layout_;
  ProgramOf const& program_of_;
  Plans& plans_;
  RankPlan const& plan_;
  DataflowWriter writer_;
  std::vector<int> entry_;  ///< when these are complete, all have entered if the mode wants it
  int index_ = 0;           ///< in the program of messages
  /// Of each operation so far: what is complete in the result when that was complete.
  std::vector<int> done_;
  std::vector<int> group_;  ///< receives that share a counter, so far
  std::vector<int> group_waits_;
};

void require_legal(OneSidedForm const& form) {
  if (std::string const reason = refusal(form); !reason.empty()) {
    throw Error(ErrorCode::unsupported, reason);
  }
}

}  // namespace

RankProgram
one_sided(int rank, OneSidedForm const& form, Survey const& found, ProgramOf const& program_of) {
  require_legal(form);
  Plans plans;
  return OneSidedTransform(rank, form, found, program_of, plans).run();
}

std::vector<RankProgram>
one_sided(OneSidedForm const& form, Survey const& found, ProgramOf const& program_of) {
  require_legal(form);
  Plans plans;
  std::vector<RankProgram> programs;
  programs.reserve(static_cast<std::size_t>(found.num_ranks));
  for (int rank = 0; rank < found.num_ranks; ++rank) {
    programs.push_back(OneSidedTransform(rank, form, found, program_of, plans).run());
  }
  return programs;
}

}  // namespace espalier::schedule
