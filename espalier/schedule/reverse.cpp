// SPDX-License-Identifier: Apache-2.0

#include <utility>
#include <vector>

#include "espalier/schedule/preconditions.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::schedule {
namespace {

/// Slots for the blocks of one operation, in fresh scratch blocks of the same sizes.
Slot scratch_for(std::vector<int>& scratch_like, Frame const& frame, std::span<Slot const> slots) {
  auto const first = static_cast<int>(scratch_like.size());
  for_each_block(frame, slots, [&](Buffer /*buffer*/, int block) {
    scratch_like.push_back(block);
  });
  auto const num_blocks = static_cast<int>(scratch_like.size()) - first;
  return {.buffer = Buffer::scratch, .first = first, .num_blocks = num_blocks, .stride = 1};
}

/// One round of a reversed program: receives and sends first, then the local combinations.
class Reverser {
public:
  Reverser(RankProgram const& program, int num_rounds)
      : program_(program), num_rounds_(num_rounds) {
    for (Operation const& operation : program.operations) {
      require_plain(program, operation, "reverse");
      if (operation.kind == Kind::send) {
        received_into_.push_back(scratch_for(scratch_like_, program.frame, program.slots(operation))
        );
      }
    }
  }

  RankProgram run() {
    Frame frame = program_.frame;
    frame.scratch_like = scratch_like_;
    Builder builder(std::move(frame), program_.rank);
    auto next = received_into_.rbegin();
    auto const& operations = program_.operations;
    for (auto end = operations.rbegin(); end != operations.rend();) {
      auto const begin = end;
      while (end != operations.rend() && end->round == begin->round) {
        ++end;
      }
      builder.next_round(num_rounds_ - 1 - begin->round);
      auto const first_received = next;
      for (auto it = begin; it != end; ++it) {
        exchange(builder, *it, next);
      }
      combine(builder, begin, end, first_received);
    }
    return std::move(builder).finish();
  }

private:
  using Position = std::vector<Operation>::const_reverse_iterator;
  using Received = std::vector<Slot>::reverse_iterator;

  void exchange(Builder& builder, Operation const& operation, Received& next) {
    if (operation.kind == Kind::send) {
      builder.recv(operation.peer, *next++);
    } else {
      builder.send(operation.peer, program_.slots(operation));
    }
  }

  void combine(Builder& builder, Position const& begin, Position const& end, Received received) {
    for (auto it = begin; it != end; ++it) {
      if (it->kind != Kind::send) {
        continue;
      }
      Slot source = *received++;
      for (Slot const& slot : program_.slots(*it)) {
        source.num_blocks = slot.num_blocks;
        builder.next_round(builder.round()).reduce(slot, source);
        source.first += slot.num_blocks;
      }
    }
  }

  RankProgram const& program_;
  int num_rounds_;
  std::vector<int> scratch_like_;
  std::vector<Slot> received_into_;
};

}  // namespace

RankProgram reverse(RankProgram const& program, int num_rounds) {
  require_rounds(program, "reverse");
  return Reverser(program, num_rounds).run();
}

}  // namespace espalier::schedule
