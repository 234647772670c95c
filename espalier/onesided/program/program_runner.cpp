// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/program/program_runner.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"

namespace espalier::onesided {

using exec::BoundOperation;
using schedule::Buffer;
using schedule::Kind;

namespace {

/// What a put or a signal adds to its counter. So a put of several runs can be counted run by run,
/// and who waits for it need not know how many there are.
constexpr std::uint64_t whole = 1U << 16U;

bool raises_counter(BoundOperation const& put) {
  return put.tag != schedule::no_counter;
}

bool reaches_users(BoundOperation const& operation) {
  return (operation.kind == Kind::put && operation.buffer != Buffer::scratch) ||
         (operation.kind == Kind::get && operation.source != Buffer::scratch);
}

}  // namespace

ProgramRunner::ProgramRunner(
    Conduit& conduit,
    std::span<int const> members,
    exec::BoundProgram const& program,
    exec::Combine combine
)
    : conduit_(conduit), members_(members), program_(program), combine_(std::move(combine)),
      moves_(program_), progress_(program_), handles_(moves_.size()) {
  check_operations();
  needs_places_ = std::ranges::any_of(program_.operations, reaches_users);
  for (std::size_t index = 0; index < program_.operations.size(); ++index) {
    raises_itself_.push_back(raises_itself(index));
  }
  transfers_.reserve(program_.operations.size());
  awaits_.reserve(program_.operations.size());
  signals_.reserve(program_.operations.size());
}

void ProgramRunner::check_operations() const {
  for (BoundOperation const& operation : program_.operations) {
    bool const is_local = operation.kind == Kind::copy || operation.kind == Kind::reduce;
    if (!is_local && !schedule::is_one_sided(operation.kind)) {
      throw Error(
          ErrorCode::argument,
          "a conduit runs one-sided programs, and this one has messages or native calls; make it "
          "one-sided first"
      );
    }
    if (operation.kind == Kind::reduce && !combine_) {
      throw Error(ErrorCode::argument, "the program reduces, so it needs what combines elements");
    }
  }
}

bool ProgramRunner::raises_itself(std::size_t index) const {
  BoundOperation const& put = program_.operations[index];
  schedule::Range const moves = moves_.of(index);
  if (put.kind != Kind::put || !raises_counter(put) || moves.size() == 0) {
    return false;
  }
  int const rank = members_[static_cast<std::size_t>(put.peer)];
  bool all = moves.size() < static_cast<int>(whole);
  for (int i = moves.begin; i < moves.end && all; ++i) {
    all = moves.size() <= conduit_.most_raising_at_once(rank, moves_[i].num_bytes);
  }
  return all;
}

void ProgramRunner::start(UserBuffers const& own, std::span<UserPlaces const> all, RunPlaces run) {
  if (is_underway_) {
    throw Error(ErrorCode::argument, "a run of this program is underway; finish it first");
  }
  if (needs_places_ && all.size() != members_.size()) {
    throw Error(
        ErrorCode::argument,
        "the program reaches user buffers of others, so it needs the places of all " +
            std::to_string(members_.size()) + " ranks, got " + std::to_string(all.size())
    );
  }
  own_ = own;
  all_ = all;
  run_ = run;
  progress_.reset();
  is_underway_ = true;
  move_on();
}

bool ProgramRunner::advance() {
  return !is_underway_ || move_on();
}

void ProgramRunner::finish() {
  conduit_.wait_until([this] { return advance(); });
}

/// Goes on until nothing changes any more. True when the run is over.
bool ProgramRunner::move_on() {
  bool has_moved = true;
  while (has_moved) {
    has_moved = progress_.start_what_may_start([this](std::size_t index) { begin(index); });
    has_moved = finish_transfers() || has_moved;
    has_moved = finish_signals() || has_moved;
    has_moved = finish_awaits() || has_moved;
  }
  is_underway_ = !progress_.is_all_complete();
  return !is_underway_;
}

void ProgramRunner::begin(std::size_t index) {
  BoundOperation const& operation = program_.operations[index];
  switch (operation.kind) {
  case Kind::await:
    awaits_.push_back(index);
    return;
  case Kind::put:
    begin_put(index);
    return;
  case Kind::get:
    begin_get(index);
    return;
  case Kind::signal:
    if (!try_raise(operation)) {
      signals_.push_back(index);
      return;
    }
    break;
  default:
    do_local(operation, moves_.of(index));
    break;
  }
  progress_.complete(index);
}

/// Adjacent data and the counter go together. Each of several runs raises it by a part, or, where
/// that would take a message more for each of them, it is raised when the last one has landed,
/// which only their handles tell.
void ProgramRunner::begin_put(std::size_t index) {
  BoundOperation const& operation = program_.operations[index];
  schedule::Range const moves = moves_.of(index);
  std::byte const* const from = readable(operation.source);
  for (int i = moves.begin; i < moves.end; ++i) {
    Move const& move = moves_[i];
    Remote const to = remote(operation.peer, operation.buffer, move.to);
    Handle& handle = handles_[static_cast<std::size_t>(i)];
    if (raises_itself_[index]) {
      std::uint64_t const others = static_cast<std::uint64_t>(moves.size()) - 1;
      Raise const raise{
          .offset = counter_at(operation.tag), .amount = i == moves.begin ? whole - others : 1
      };
      handle = conduit_.start_put_raising(to, from + move.from, move.num_bytes, raise);
    } else {
      handle = conduit_.start_put(to, from + move.from, move.num_bytes);
    }
  }
  transfers_.push_back(index);
}

void ProgramRunner::begin_get(std::size_t index) {
  BoundOperation const& operation = program_.operations[index];
  schedule::Range const moves = moves_.of(index);
  std::byte* const to = writable(operation.buffer);
  for (int i = moves.begin; i < moves.end; ++i) {
    Move const& move = moves_[i];
    handles_[static_cast<std::size_t>(i)] = conduit_.start_get(
        to + move.to, remote(operation.peer, operation.source, move.from), move.num_bytes
    );
  }
  transfers_.push_back(index);
}

void ProgramRunner::do_local(BoundOperation const& operation, schedule::Range moves) {
  for (int i = moves.begin; i < moves.end; ++i) {
    Move const& move = moves_[i];
    std::byte const* const from = readable(operation.source) + move.from;
    std::byte* const to = writable(operation.buffer) + move.to;
    if (operation.kind == Kind::reduce) {
      auto const num_bytes = static_cast<std::int64_t>(move.num_bytes);
      combine_(from, to, num_bytes / program_.element_extent_bytes);
    } else {
      std::memcpy(to, from, move.num_bytes);
    }
  }
}

bool ProgramRunner::try_raise(BoundOperation const& operation) {
  return conduit_.begin_signal(
      {
          .rank = members_[static_cast<std::size_t>(operation.peer)],
          .offset = counter_at(operation.tag),
      },
      whole
  );
}

bool ProgramRunner::finish_signals() {
  return std::erase_if(signals_, [this](std::size_t index) {
           bool const is_sent = try_raise(program_.operations[index]);
           if (is_sent) {
             progress_.complete(index);
           }
           return is_sent;
         }) > 0;
}

bool ProgramRunner::finish_transfers() {
  return std::erase_if(transfers_, [this](std::size_t index) {
           schedule::Range const moves = moves_.of(index);
           if (!is_over(moves)) {
             return false;
           }
           BoundOperation const& operation = program_.operations[index];
           bool const has_to_raise =
               operation.kind == Kind::put && !raises_itself_[index] && raises_counter(operation);
           if (has_to_raise && !try_raise(operation)) {
             return false;
           }
           progress_.complete(index);
           return true;
         }) > 0;
}

bool ProgramRunner::is_over(schedule::Range moves) {
  bool all = true;
  for (int i = moves.begin; i < moves.end; ++i) {
    Handle& handle = handles_[static_cast<std::size_t>(i)];
    all = (!handle.is_open() || conduit_.look(handle)) && all;
  }
  return all;
}

bool ProgramRunner::finish_awaits() {
  return std::erase_if(awaits_, [this](std::size_t index) {
           BoundOperation const& operation = program_.operations[index];
           auto const expected = static_cast<std::uint64_t>(operation.arrivals) * whole;
           if (conduit_.counter(counter_at(operation.tag)) < expected) {
             return false;
           }
           progress_.complete(index);
           return true;
         }) > 0;
}

std::byte const* ProgramRunner::readable(Buffer buffer) const {
  return buffer == Buffer::input ? own_.input : writable(buffer);
}

std::byte* ProgramRunner::writable(Buffer buffer) const {
  return buffer == Buffer::output ? own_.output : conduit_.segment().data() + run_.scratch;
}

Remote ProgramRunner::remote(int rank, Buffer buffer, std::int64_t offset) const {
  auto const peer = static_cast<std::size_t>(rank);
  std::uint64_t const begin = buffer == Buffer::scratch ? run_.scratch
                              : buffer == Buffer::input ? all_[peer].input
                                                        : all_[peer].output;
  return {.rank = members_[peer], .offset = begin + static_cast<std::uint64_t>(offset)};
}

std::uint64_t ProgramRunner::counter_at(int counter) const {
  return run_.counters + static_cast<std::uint64_t>(counter) * counter_bytes;
}

}  // namespace espalier::onesided
