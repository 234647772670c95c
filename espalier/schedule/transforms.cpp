// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/transforms.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "espalier/base/integer.hpp"

namespace espalier::schedule {

RankProgram rotate(RankProgram program, int shift) {
  int const p = program.frame.num_ranks;
  return renumber_ranks(std::move(program), [&](int rank) {
    return wrap(std::int64_t{rank} + shift, p);
  });
}

void append_coalesced(std::vector<Slot>& slots, Slot slot, int buffer_size) {
  if (slots.empty() || slots.back().buffer != slot.buffer) {
    slots.push_back(slot);
    return;
  }
  Slot& last = slots.back();
  int const gap = wrap(std::int64_t{slot.first} - last.first, buffer_size);
  int const stride = last.num_blocks == 1 ? gap : last.stride;
  bool const slot_fits = slot.num_blocks == 1 || slot.stride == stride;
  std::int64_t const next = std::int64_t{last.first} + std::int64_t{stride} * last.num_blocks;
  if (slot_fits && wrap(next, buffer_size) == slot.first) {
    last.stride = stride;
    last.num_blocks += slot.num_blocks;
  } else {
    slots.push_back(slot);
  }
}

}  // namespace espalier::schedule
