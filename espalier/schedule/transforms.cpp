// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/transforms.hpp"

#include <utility>
#include <vector>

#include "espalier/base/integer.hpp"
#include "espalier/schedule/preconditions.hpp"

namespace espalier::schedule {
namespace {

/// The blocks of `slots` seen through an embedding, as few slots as possible.
std::vector<Slot> embedded(
    Frame const& inner, std::span<Slot const> slots, Embedding const& embedding, int outer_size
) {
  std::vector<Slot> result;
  for_each_block(inner, slots, [&](Buffer /*buffer*/, int block) {
    append_coalesced(result, embedding.blocks_of(block), outer_size);
  });
  return result;
}

/// Makes room for one write in front, for which everything waits.
void shift_waits(RankProgram& program) {
  if (!program.is_dataflow()) {
    for (Operation& operation : program.operations) {
      ++operation.after;
    }
    return;
  }
  std::vector<int> waits;
  for (Operation& operation : program.operations) {
    auto const begin = static_cast<int>(waits.size());
    for (int const waited_for : program.waits(operation)) {
      waits.push_back(waited_for + 1);
    }
    if (operation.waits.size() == 0) {
      waits.push_back(0);
    }
    operation.waits = {.begin = begin, .end = static_cast<int>(waits.size())};
    operation.after += operation.after > 0 ? 1 : 0;
  }
  program.wait_pool = std::move(waits);
}

}  // namespace

RankProgram from_input(RankProgram program, int own) {
  int const num_blocks = program.frame.num_output_blocks;
  int const part = num_blocks / program.frame.num_ranks;
  shift_waits(program);
  for (int block = own * part; block < (own + 1) * part; ++block) {
    program.frame.input_like.push_back(block);
  }
  auto const pool_size = static_cast<int>(program.slot_pool.size());
  program.slot_pool.push_back(
      {.buffer = Buffer::output, .first = own * part, .num_blocks = part, .stride = 1 % num_blocks}
  );
  program.slot_pool.push_back(
      {.buffer = Buffer::input, .first = 0, .num_blocks = part, .stride = 1 % part}
  );
  Operation copy{.kind = Kind::copy};
  copy.slots = {.begin = pool_size, .end = pool_size + 1};
  copy.sources = {.begin = pool_size + 1, .end = pool_size + 2};
  program.operations.insert(program.operations.begin(), copy);
  return program;
}

RankProgram rotate(RankProgram program, int shift) {
  int const p = program.frame.num_ranks;
  program.rank = wrap(std::int64_t{program.rank} + shift, p);
  for (Operation& operation : program.operations) {
    if (operation.peer >= 0) {
      operation.peer = wrap(std::int64_t{operation.peer} + shift, p);
    }
  }
  return program;
}

void nest(Builder& builder, RankProgram const& inner, Embedding const& embedding) {
  require_rounds(inner, "nest");
  int const outer_size = builder.frame().num_output_blocks;
  int const first_round = builder.round();
  int after = -1;
  for (Operation const& operation : inner.operations) {
    if (operation.after != after) {
      builder.next_round(first_round + operation.round);
      after = operation.after;
    }
    require_plain(inner, operation, "nest");
    auto const slots = embedded(inner.frame, inner.slots(operation), embedding, outer_size);
    if (operation.kind == Kind::send) {
      builder.send(embedding.rank_of(operation.peer), slots);
    } else {
      builder.recv(embedding.rank_of(operation.peer), slots);
    }
  }
}

RankProgram permute(RankProgram const& program, std::function<int(int)> const& rank_of) {
  Builder builder(program.frame, rank_of(program.rank));
  bool const has_block_per_rank = program.frame.num_output_blocks == program.frame.num_ranks;
  auto const blocks_of = [&](int block) {
    return blocks(has_block_per_rank ? rank_of(block) : block);
  };
  nest(builder, program, {.rank_of = rank_of, .blocks_of = blocks_of});
  return std::move(builder).finish();
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
