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

Builder& Builder::copy(std::span<Slot const> destination, std::span<Slot const> source) {
  add(Kind::copy, -1, destination, source);
  return *this;
}

Builder& Builder::reduce(std::span<Slot const> destination, std::span<Slot const> source) {
  add(Kind::reduce, -1, destination, source);
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
  if (num_blocks(slots) == 0) {
    return;
  }
  Operation operation{.kind = kind, .peer = peer, .round = round_, .after = after_};
  operation.slots = store(slots);
  operation.sources = store(sources);
  program_.operations.push_back(operation);
}

Range Builder::store(std::span<Slot const> slots) {
  auto& pool = program_.slot_pool;
  auto const begin = static_cast<int>(pool.size());
  for (Slot slot : slots) {
    if (slot.num_blocks == 0) {
      continue;
    }
    int const size = program_.frame.num_blocks(slot.buffer);
    if (size > 0) {
      slot.first = wrap(slot.first, size);
      slot.stride = slot.num_blocks == 1 ? 1 % size : wrap(slot.stride, size);
    }
    pool.push_back(slot);
  }
  return {.begin = begin, .end = static_cast<int>(pool.size())};
}

}  // namespace espalier::schedule
