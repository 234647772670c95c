// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/builder.hpp"

#include <algorithm>
#include <utility>

#include "espalier/base/integer.hpp"

namespace espalier::schedule {

Slot blocks(int first, int num_blocks, int stride) noexcept {
  return {.buffer = Buffer::output, .first = first, .num_blocks = num_blocks, .stride = stride};
}

Builder::Builder(Frame frame, int rank) {
  program_.frame = std::move(frame);
  program_.rank = rank;
}

Builder::Builder(RankProgram program)
    : program_(std::move(program)), round_(program_.num_rounds()),
      after_(static_cast<int>(program_.operations.size())) {}

Builder& Builder::send(int peer, std::span<Slot const> slots) {
  add(Kind::send, peer, slots, {});
  return *this;
}

Builder& Builder::recv(int peer, std::span<Slot const> slots) {
  add(Kind::recv, peer, slots, {});
  return *this;
}

Builder& Builder::recv_ahead(int round, int peer, Slot slot, int after) {
  int const num_before = num_operations();
  recv(peer, slot);
  if (num_operations() > num_before) {
    Operation& operation = program_.operations.back();
    operation.round = round;
    operation.after = after;
  }
  return *this;
}

Builder& Builder::copy(std::span<Slot const> destination, std::span<Slot const> source) {
  add(Kind::copy, -1, destination, source);
  return *this;
}

Builder& Builder::reduce(std::span<Slot const> destination, std::span<Slot const> source) {
  add(Kind::reduce, -1, destination, source);
  return *this;
}

Builder&
Builder::native(NativeCall call, std::span<Slot const> results, std::span<Slot const> sources) {
  wait_for_sends().next_round(round_);
  append(Kind::native, -1, results, sources);
  program_.operations.back().tag = static_cast<int>(program_.native_calls.size());
  program_.native_calls.push_back(std::move(call));
  return wait_for_sends().next_round(round_);
}

Builder& Builder::send_signal(int peer) {
  append(Kind::send, peer, {}, {});
  return *this;
}

Builder& Builder::recv_signal(int peer) {
  append(Kind::recv, peer, {}, {});
  return *this;
}

Builder&
Builder::put(int peer, std::span<Slot const> slots, std::span<Slot const> sources, int counter) {
  append(Kind::put, peer, {}, {});
  Range const remote = store_remote(slots);
  Range const own = store(sources);
  Operation& operation = program_.operations.back();
  operation.slots = remote;
  operation.sources = own;
  operation.tag = counter;
  return *this;
}

Builder& Builder::get(int peer, std::span<Slot const> slots, std::span<Slot const> sources) {
  append(Kind::get, peer, slots, {});
  program_.operations.back().sources = store_remote(sources);
  return *this;
}

Builder& Builder::signal(int peer, int counter) {
  append(Kind::signal, peer, {}, {});
  program_.operations.back().tag = counter;
  return *this;
}

Builder& Builder::await(int counter, int arrivals) {
  append(Kind::await, -1, {}, {});
  program_.operations.back().tag = counter;
  program_.operations.back().arrivals = arrivals;
  return *this;
}

Builder& Builder::repeat(
    Operation const& operation, std::span<Slot const> slots, std::span<Slot const> sources
) {
  append(operation.kind, operation.peer, slots, sources);
  Operation& repeated = program_.operations.back();
  repeated.round = operation.round;
  repeated.after = operation.after;
  repeated.after_sends = operation.after_sends;
  round_ = std::max(round_, operation.round);
  return *this;
}

Slot Builder::scratch(std::span<Slot const> like) {
  auto& labels = program_.frame.scratch_like;
  auto const first = static_cast<int>(labels.size());
  for (Slot const& slot : like) {
    Slot const in_range = wrapped(slot);
    for_each_block(program_.frame, {&in_range, 1}, [&](Buffer buffer, int block) {
      labels.push_back(program_.frame.like(buffer, block));
    });
  }
  auto const num_blocks = static_cast<int>(labels.size()) - first;
  return {.buffer = Buffer::scratch, .first = first, .num_blocks = num_blocks, .stride = 1};
}

Builder& Builder::wait_for_sends() {
  after_sends_ = static_cast<int>(program_.operations.size());
  return *this;
}

Builder& Builder::next_round() {
  return next_round(round_ + 1);
}

Builder& Builder::next_round(int round) {
  round_ = std::max(round_, round);
  after_ = static_cast<int>(program_.operations.size());
  return *this;
}

RankProgram Builder::finish() && {
  return std::move(program_);
}

void Builder::add(Kind kind, int peer, std::span<Slot const> slots, std::span<Slot const> sources) {
  if (num_blocks(slots) > 0) {
    append(kind, peer, slots, sources);
  }
}

void Builder::append(
    Kind kind, int peer, std::span<Slot const> slots, std::span<Slot const> sources
) {
  Operation operation{.kind = kind, .peer = peer, .round = round_, .after = after_};
  operation.after_sends = after_sends_;
  operation.slots = store(slots);
  operation.sources = store(sources);
  program_.operations.push_back(operation);
}

Slot Builder::wrapped(Slot slot) const {
  if (int const size = program_.frame.num_blocks(slot.buffer); size > 0) {
    slot.first = wrap(slot.first, size);
    slot.stride = slot.num_blocks == 1 ? 1 % size : wrap(slot.stride, size);
  }
  return slot;
}

Range Builder::store(std::span<Slot const> slots) {
  auto& pool = program_.slot_pool;
  auto const begin = static_cast<int>(pool.size());
  for (Slot const& slot : slots) {
    if (slot.num_blocks > 0) {
      pool.push_back(wrapped(slot));
    }
  }
  return {.begin = begin, .end = static_cast<int>(pool.size())};
}

Range Builder::store_remote(std::span<Slot const> slots) {
  return add_slots(program_, slots);
}

}  // namespace espalier::schedule
