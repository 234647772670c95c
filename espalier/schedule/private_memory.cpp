// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/private_memory.hpp"

#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "espalier/schedule/preconditions.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::schedule {
namespace {

template <typename Visitor> void for_each_list(RankProgram const& program, Visitor&& visit) {
  require_messages(program, "a call of MPI");
  for (Operation const& operation : program.operations) {
    visit(program.slots(operation));
    visit(program.sources(operation));
  }
}

Range append(RankProgram& program, std::vector<Slot> const& slots) {
  auto const begin = static_cast<int>(program.slot_pool.size());
  program.slot_pool.insert(program.slot_pool.end(), slots.begin(), slots.end());
  return {.begin = begin, .end = static_cast<int>(program.slot_pool.size())};
}

/// Blocks of one buffer that become blocks of the scratch memory.
class Move {
public:
  /// All blocks of `from` that the program touches get places behind its scratch blocks.
  Move(RankProgram& program, Buffer from) : program_(program), from_(from) {
    place_of_.assign(static_cast<std::size_t>(program.frame.num_blocks(from)), -1);
    for_each_list(program, [&](std::span<Slot const> slots) {
      for_each_block(program.frame, slots, [&](Buffer buffer, int block) {
        if (buffer == from) {
          place_of_[static_cast<std::size_t>(block)] = 0;
        }
      });
    });
    auto next = static_cast<int>(program.frame.scratch_like.size());
    for (int& place : place_of_) {
      place = place < 0 ? -1 : next++;
    }
    num_scratch_ = next;
  }

  [[nodiscard]] bool is_moved(int block) const {
    return place_of_[static_cast<std::size_t>(block)] >= 0;
  }

  void append_moved(std::vector<Slot>& slots, int block) const {
    Slot const moved{
        .buffer = Buffer::scratch, .first = place_of_[static_cast<std::size_t>(block)]
    };
    append_coalesced(slots, moved, num_scratch_);
  }

  /// Rewrites all operations, and adds scratch blocks as large as the output blocks of the same
  /// numbers.
  void apply() {
    for (Operation& operation : program_.operations) {
      operation.slots = rewritten(operation.slots);
      operation.sources = rewritten(operation.sources);
    }
    for (std::size_t block = 0; block < place_of_.size(); ++block) {
      if (place_of_[block] >= 0) {
        program_.frame.scratch_like.push_back(
            program_.frame.like(Buffer::output, static_cast<int>(block))
        );
      }
    }
  }

private:
  Range rewritten(Range range) {
    std::span<Slot const> const slots{
        program_.slot_pool.data() + range.begin, static_cast<std::size_t>(range.size())
    };
    if (slots.empty() || slots.front().buffer != from_) {
      return range;
    }
    std::vector<Slot> result;
    for_each_block(program_.frame, slots, [&](Buffer, int block) { append_moved(result, block); });
    return append(program_, result);
  }

  RankProgram& program_;
  Buffer from_;
  std::vector<int> place_of_;
  int num_scratch_ = 0;
};

/// Makes room for one operation in front that everything waits for.
void make_room_in_front(RankProgram& program) {
  for (Operation& operation : program.operations) {
    ++operation.after;
    operation.after_sends += operation.after_sends > 0 ? 1 : 0;
  }
  for (int& waited_for : program.wait_pool) {
    ++waited_for;
  }
}

}  // namespace

bool touches_output_outside(RankProgram const& program, BlockRun const& run) {
  bool result = false;
  for_each_list(program, [&](std::span<Slot const> slots) {
    for_each_block(program.frame, slots, [&](Buffer buffer, int block) {
      result = result || (buffer == Buffer::output && !run.contains(block));
    });
  });
  return result;
}

RankProgram with_private_output(RankProgram program, BlockRun const& results) {
  Move move(program, Buffer::output);
  move.apply();
  std::vector<Slot> from;
  std::vector<Slot> to;
  for (int block = results.begin; block < results.begin + results.size; ++block) {
    if (move.is_moved(block)) {
      move.append_moved(from, block);
      append_coalesced(to, blocks(block), program.frame.num_output_blocks);
    }
  }
  if (!to.empty()) {
    auto const num_operations = static_cast<int>(program.operations.size());
    Operation copy{.kind = Kind::copy, .after = num_operations, .after_sends = num_operations};
    copy.round = num_operations == 0 ? 0 : program.operations.back().round;
    copy.slots = append(program, to);
    copy.sources = append(program, from);
    program.operations.push_back(copy);
  }
  return program;
}

RankProgram with_private_input(RankProgram program) {
  Move move(program, Buffer::input);
  move.apply();
  std::vector<Slot> from;
  std::vector<Slot> to;
  for (int block = 0; block < program.frame.num_blocks(Buffer::input); ++block) {
    if (move.is_moved(block)) {
      move.append_moved(to, block);
      append_coalesced(from, blocks(block), program.frame.num_output_blocks);
    }
  }
  program.frame.input_like.clear();
  if (!to.empty()) {
    make_room_in_front(program);
    Operation copy{.kind = Kind::copy};
    copy.slots = append(program, to);
    copy.sources = append(program, from);
    program.operations.insert(program.operations.begin(), copy);
  }
  return program;
}

RankProgram with_input_for_output(RankProgram program) {
  for (Slot& slot : program.slot_pool) {
    if (slot.buffer == Buffer::output) {
      slot.buffer = Buffer::input;
    }
  }
  program.frame.input_like.resize(static_cast<std::size_t>(program.frame.num_output_blocks));
  std::iota(program.frame.input_like.begin(), program.frame.input_like.end(), 0);
  return program;
}

RankProgram as_called(RankProgram program, Collective collective, int root, bool is_in_place) {
  if (collective == Collective::alltoall) {
    return is_in_place ? with_private_input(std::move(program)) : program;
  }
  if (collective == Collective::scatter && is_in_place) {
    return with_input_for_output(std::move(program));
  }
  if (is_in_place && collective != Collective::reduce_scatter) {
    return program;
  }
  program = from_input(std::move(program), collective, root);
  if (!reduces(collective)) {
    return program;
  }
  Role const role{collective, program.frame.num_ranks, program.rank, root};
  BlockRun const results = promised(role, program.frame.num_output_blocks);
  // A result in place stands where the contribution to the first ranks stood.
  return is_in_place || touches_output_outside(program, results)
             ? with_private_output(std::move(program), results)
             : program;
}

}  // namespace espalier::schedule
