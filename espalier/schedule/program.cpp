// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/program.hpp"

#include <algorithm>
#include <cstddef>

namespace espalier::schedule {
namespace {

template <typename Element>
std::span<Element const> view(std::vector<Element> const& pool, Range range) noexcept {
  return {pool.data() + range.begin, static_cast<std::size_t>(range.size())};
}

bool starts_message(Kind kind) noexcept {
  return kind == Kind::send || kind == Kind::put || kind == Kind::get || kind == Kind::signal;
}

}  // namespace

int Frame::num_blocks(Buffer buffer) const noexcept {
  switch (buffer) {
  case Buffer::input:
    return static_cast<int>(input_like.size());
  case Buffer::output:
    return num_output_blocks;
  case Buffer::scratch:
    return static_cast<int>(scratch_like.size());
  }
  return 0;
}

int Frame::like(Buffer buffer, int block) const noexcept {
  auto const index = static_cast<std::size_t>(block);
  switch (buffer) {
  case Buffer::input:
    return input_like[index];
  case Buffer::output:
    return output_like.empty() ? block : output_like[index];
  case Buffer::scratch:
    return scratch_like[index];
  }
  return block;
}

int Frame::num_labels() const noexcept {
  return output_like.empty() ? num_output_blocks : num_ranks * num_ranks;
}

std::span<Slot const> RankProgram::slots(Operation const& operation) const noexcept {
  return view(slot_pool, operation.slots);
}

std::span<Slot const> RankProgram::sources(Operation const& operation) const noexcept {
  return view(slot_pool, operation.sources);
}

std::span<int const> RankProgram::waits(Operation const& operation) const noexcept {
  return view(wait_pool, operation.waits);
}

int RankProgram::num_rounds() const noexcept {
  int last = -1;
  for (Operation const& operation : operations) {
    if (operation.peer >= 0) {
      last = std::max(last, operation.round);
    } else if (operation.kind == Kind::native) {
      last = std::max(last, operation.round + rounds_of_native_call - 1);
    }
  }
  return last + 1;
}

bool RankProgram::is_one_sided() const noexcept {
  return std::ranges::any_of(operations, [](Operation const& operation) {
    return schedule::is_one_sided(operation.kind);
  });
}

int RankProgram::num_counters() const noexcept {
  int result = 0;
  for (Operation const& operation : operations) {
    if (operation.kind == Kind::await) {
      result = std::max(result, operation.tag + 1);
    }
  }
  return result;
}

int RankProgram::num_messages_sent() const noexcept {
  return static_cast<int>(std::ranges::count_if(operations, starts_message, &Operation::kind));
}

std::int64_t RankProgram::num_blocks_sent() const noexcept {
  std::int64_t total = 0;
  for (Operation const& operation : operations) {
    if (starts_message(operation.kind)) {
      total += num_blocks(slots(operation));
    }
  }
  return total;
}

std::size_t RankProgram::memory_bytes() const noexcept {
  std::size_t of_calls = native_calls.capacity() * sizeof(NativeCall);
  for (NativeCall const& call : native_calls) {
    of_calls += call.members.capacity() * sizeof(int);
  }
  return sizeof(*this) + of_calls + operations.capacity() * sizeof(Operation) +
         slot_pool.capacity() * sizeof(Slot) + wait_pool.capacity() * sizeof(int) +
         (frame.input_like.capacity() + frame.scratch_like.capacity() + frame.output_like.capacity()
         ) * sizeof(int);
}

Range add_slots(RankProgram& program, std::span<Slot const> slots) {
  auto const begin = static_cast<int>(program.slot_pool.size());
  program.slot_pool.insert(program.slot_pool.end(), slots.begin(), slots.end());
  return {.begin = begin, .end = static_cast<int>(program.slot_pool.size())};
}

std::int64_t num_blocks(std::span<Slot const> slots) noexcept {
  std::int64_t total = 0;
  for (Slot const& slot : slots) {
    total += slot.num_blocks;
  }
  return total;
}

}  // namespace espalier::schedule
