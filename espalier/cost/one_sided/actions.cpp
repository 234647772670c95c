// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/one_sided/actions.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>

#include "espalier/base/error.hpp"

namespace espalier::cost {
namespace {

using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;

constexpr std::int32_t nothing = -1;

[[noreturn]] void refuse(std::string const& expected, std::string const& found) {
  throw Error(ErrorCode::argument, "expected " + expected + ", got " + found);
}

void require_one_sided(RankProgram const& program) {
  bool const has_others = std::ranges::any_of(program.operations, [](Operation const& operation) {
    return operation.kind == Kind::send || operation.kind == Kind::recv ||
           operation.kind == Kind::native;
  });
  if (has_others) {
    throw Error(
        ErrorCode::unsupported,
        "the replay of one-sided programs needs puts, gets, signals and awaits, got messages or "
        "native calls; see schedule::one_sided()"
    );
  }
}

/// Own memory, at whichever end it is.
double bytes_of(RankProgram const& program, Operation const& operation, Sizes const& sizes) {
  auto const own = schedule::has_remote_slots(operation.kind) ? program.sources(operation)
                                                              : program.slots(operation);
  return sizes.of(program, own);
}

}  // namespace

Actions::Actions(std::span<OneSidedCall const> calls) {
  for (std::size_t number = 0; number < calls.size(); ++number) {
    add(calls[number], number);
  }
  set_up_waiting();
}

std::span<std::int32_t const> Actions::waiting(std::int32_t action) const {
  auto const begin = waiting_.begin() + waiting_begin_[static_cast<std::size_t>(action)];
  auto const end = waiting_.begin() + waiting_begin_[static_cast<std::size_t>(action) + 1];
  return {begin, end};
}

void Actions::add(OneSidedCall const& call, std::size_t number) {
  auto const num_ranks = static_cast<int>(call.programs.size());
  if (number == 0) {
    num_ranks_ = num_ranks;
  }
  if (num_ranks != num_ranks_ || num_ranks < 1) {
    refuse(
        "the programs of " + std::to_string(std::max(1, num_ranks_)) + " ranks",
        std::to_string(num_ranks)
    );
  }
  entered_.emplace_back();
  leaving_.emplace_back();
  raises_.clear();
  counters_.assign(call.programs.size(), {});
  for (int rank = 0; rank < num_ranks; ++rank) {
    RankProgram const& of_rank = call.programs[static_cast<std::size_t>(rank)];
    if (of_rank.rank != rank || of_rank.frame.num_ranks != num_ranks) {
      refuse(
          "the program of rank " + std::to_string(rank) + " of " + std::to_string(num_ranks),
          "that of " + std::to_string(of_rank.rank) + " of " +
              std::to_string(of_rank.frame.num_ranks)
      );
    }
    require_one_sided(of_rank);
    Program program{.program = &of_rank, .entry = add_entry(call, number, rank)};
    entered_.back().push_back(program.entry);
    add(program, call.sizes);
  }
  serve_awaits();
}

std::int32_t Actions::add_entry(OneSidedCall const& call, std::size_t number, int rank) {
  std::int32_t const entry = add_action({.rank = rank});
  if (number == 0) {
    return entry;
  }
  auto const index = static_cast<std::size_t>(rank);
  add_edge(entered_[number - 1][index], entry);
  if (call.begin == Begin::after_earlier) {
    for (std::size_t earlier = 0; earlier < number; ++earlier) {
      add_edge(leaving_[earlier][index], entry);
    }
  }
  return entry;
}

void Actions::add(Program& program, Sizes const& sizes) {
  auto const rank = static_cast<std::size_t>(program.program->rank);
  counters_[rank].resize(static_cast<std::size_t>(program.program->num_counters()));
  for (Operation const& operation : program.program->operations) {
    add_operation(program, operation, sizes);
  }
  auto const end = static_cast<int>(program.program->operations.size());
  std::int32_t const writes = complete_before(program, end, true);
  std::int32_t const sends = complete_before(program, end, false);
  std::int32_t const left = add_action({.rank = program.program->rank});
  add_edge(program.entry, left);
  add_edge(writes, left);
  add_edge(sends, left);
  leaving_.back().push_back(left);
}

void Actions::add_operation(Program& program, Operation const& operation, Sizes const& sizes) {
  RankProgram const& of_rank = *program.program;
  std::int32_t const writes = complete_before(program, operation.after, true);
  std::int32_t const sends = complete_before(program, operation.after_sends, false);
  std::int32_t const added = add_action(
      {.bytes = bytes_of(of_rank, operation, sizes),
       .rank = of_rank.rank,
       .peer = operation.peer,
       .kind = operation.kind}
  );
  program.action_of.push_back(added);
  add_edge(writes, added);
  add_edge(sends, added);
  for (int const awaited : of_rank.waits(operation)) {
    add_edge(program.action_of[static_cast<std::size_t>(awaited)], added);
  }
  if ((*this)[added].num_blockers == 0) {
    add_edge(program.entry, added);
  }
  add_counter(program, operation);
}

void Actions::add_counter(Program const& program, Operation const& operation) {
  std::int32_t const added = program.action_of.back();
  bool const raises = operation.kind == Kind::put || operation.kind == Kind::signal;
  if (raises && operation.tag != schedule::no_counter) {
    raises_.push_back({.action = added, .counter = operation.tag});
  } else if (operation.kind == Kind::await) {
    Counter& counter = counters_[static_cast<std::size_t>(program.program->rank)]
                                [static_cast<std::size_t>(operation.tag)];
    actions_[static_cast<std::size_t>(added)].await = counter.first_await;
    actions_[static_cast<std::size_t>(added)].num_blockers += operation.arrivals;
    counter.first_await = added;
    counter.arrivals = operation.arrivals;
  }
}

/// Waiting for everything before a position is waiting for what stands before an earlier position,
/// and for the rest: so that many operations can wait for many.
std::int32_t Actions::complete_before(Program& program, int position, bool are_writes) {
  auto& known = are_writes ? program.writes_before : program.sends_before;
  auto const next = known.lower_bound(position);
  if (position == 0) {
    return nothing;
  }
  if (next != known.end() && next->first == position) {
    return next->second;
  }
  int begin = 0;
  std::int32_t const joined = add_action({.rank = program.program->rank});
  add_edge(program.entry, joined);
  if (next != known.begin()) {
    begin = std::prev(next)->first;
    add_edge(std::prev(next)->second, joined);
  }
  for (int i = begin; i < position; ++i) {
    auto const index = static_cast<std::size_t>(i);
    if (program.program->operations[index].writes() == are_writes) {
      add_edge(program.action_of[index], joined);
    }
  }
  known.emplace(position, joined);
  return joined;
}

std::int32_t Actions::add_action(Action const& action) {
  if (actions_.size() >= std::numeric_limits<std::int32_t>::max()) {
    throw Error(
        ErrorCode::unsupported,
        "expected at most 2147483647 operations of all ranks, got more: replay fewer calls"
    );
  }
  actions_.push_back(action);
  return size() - 1;
}

void Actions::add_edge(std::int32_t awaited, std::int32_t waiting) {
  if (awaited != nothing) {
    edges_.push_back({.awaited = awaited, .waiting = waiting});
    ++(*this)[waiting].num_blockers;
  }
}

/// Tells each put and signal which await it serves.
void Actions::serve_awaits() {
  for (Raise const& raise : raises_) {
    Action& raising = (*this)[raise.action];
    auto& of_peer = counters_[static_cast<std::size_t>(raising.peer)];
    auto const index = static_cast<std::size_t>(raise.counter);
    if (index >= of_peer.size() || of_peer[index].first_await == nothing) {
      refuse(
          "only counters that are awaited to be raised",
          "counter " + std::to_string(raise.counter) + " of rank " + std::to_string(raising.peer)
      );
    }
    raising.await = of_peer[index].first_await;
    ++of_peer[index].raised;
  }
  for (std::size_t rank = 0; rank < counters_.size(); ++rank) {
    for (Counter const& counter : counters_[rank]) {
      if (counter.raised != counter.arrivals) {
        refuse(
            "a counter of rank " + std::to_string(rank) + " to be raised " +
                std::to_string(counter.arrivals) + " times",
            std::to_string(counter.raised)
        );
      }
    }
  }
}

void Actions::set_up_waiting() {
  waiting_begin_.assign(actions_.size() + 1, 0);
  for (Edge const& edge : edges_) {
    ++waiting_begin_[static_cast<std::size_t>(edge.awaited) + 1];
  }
  std::partial_sum(waiting_begin_.begin(), waiting_begin_.end(), waiting_begin_.begin());
  std::vector<std::int32_t> next(waiting_begin_.begin(), waiting_begin_.end() - 1);
  waiting_.resize(edges_.size());
  for (Edge const& edge : edges_) {
    std::int32_t& place = next[static_cast<std::size_t>(edge.awaited)];
    waiting_[static_cast<std::size_t>(place)] = edge.waiting;
    ++place;
  }
  edges_ = {};
}

}  // namespace espalier::cost
