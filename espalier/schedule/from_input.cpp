// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "espalier/schedule/preconditions.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::schedule {
namespace {

constexpr int never = std::numeric_limits<int>::max();

/// Moves reads of the contribution from the output to the input, where the output is not yet
/// written, and finds what has to be copied because the output needs it.
class Redirection {
public:
  Redirection(RankProgram& program, Collective collective, int root) : program_(program) {
    Role const role{collective, program.frame.num_ranks, program.rank, root};
    int const n = program.frame.num_output_blocks;
    own_ = contributed(role, n);
    kept_ = promised(role, n);
    // What only moves is never written twice: a block that is kept is not written at all.
    copies_all_ = !reduces(collective) && kept_.contains(own_.begin) &&
                  kept_.contains(own_.begin + own_.size - 1);
  }

  /// The blocks to copy, in ascending order.
  std::vector<Slot> run() {
    add_input();
    is_copied_.assign(static_cast<std::size_t>(own_.size), copies_all_);
    if (!copies_all_) {
      find_first_writes();
      copy_where_needed();
      redirect();
    }
    std::vector<Slot> copied;
    for (int block = own_.begin; block < own_.begin + own_.size; ++block) {
      if (is_copied(block)) {
        append_coalesced(copied, blocks(block), program_.frame.num_output_blocks);
      }
    }
    for (Slot& slot : copied) {
      slot.stride = slot.num_blocks == 1 ? 1 % program_.frame.num_output_blocks : slot.stride;
    }
    return copied;
  }

  [[nodiscard]] Slot input_of(Slot slot) const {
    slot.buffer = Buffer::input;
    slot.first -= own_.begin;
    slot.stride = slot.num_blocks == 1 ? 1 % own_.size : slot.stride;
    return slot;
  }

private:
  void add_input() {
    for (int block = own_.begin; block < own_.begin + own_.size; ++block) {
      program_.frame.input_like.push_back(block);
    }
  }

  [[nodiscard]] std::size_t place(int block) const {
    return static_cast<std::size_t>(block - own_.begin);
  }

  [[nodiscard]] bool is_copied(int block) const { return is_copied_[place(block)]; }

  [[nodiscard]] bool is_own(Buffer buffer, int block) const {
    return buffer == Buffer::output && own_.contains(block);
  }

  /// Who writes a block first; a block that is first updated must hold the contribution.
  void find_first_writes() {
    first_write_.assign(static_cast<std::size_t>(own_.size), never);
    for (std::size_t i = 0; i < program_.operations.size(); ++i) {
      Operation const& operation = program_.operations[i];
      if (!operation.writes()) {
        continue;
      }
      for_each_block(program_.frame, program_.slots(operation), [&](Buffer buffer, int block) {
        if (is_own(buffer, block) && first_write_[place(block)] == never) {
          first_write_[place(block)] = static_cast<int>(i);
          is_copied_[place(block)] = operation.kind == Kind::reduce;
        }
      });
    }
    for (int block = own_.begin; block < own_.begin + own_.size; ++block) {
      if (first_write_[place(block)] == never && kept_.contains(block)) {
        is_copied_[place(block)] = true;
      }
    }
  }

  static Range& read_by(Operation& operation) {
    return operation.kind == Kind::send ? operation.slots : operation.sources;
  }

  [[nodiscard]] std::span<Slot const> view(Range range) const {
    return {program_.slot_pool.data() + range.begin, static_cast<std::size_t>(range.size())};
  }

  /// Whether operation `index` would find the contribution in this block of the output. A native
  /// call reads all of it in one place, also what is copied besides.
  [[nodiscard]] bool is_redirected(Buffer buffer, int block, int index) const {
    bool const is_native =
        program_.operations[static_cast<std::size_t>(index)].kind == Kind::native;
    return is_own(buffer, block) && (is_native || !is_copied(block)) &&
           index <= first_write_[place(block)];
  }

  /// An operation reads one buffer: where only some of its blocks could be redirected, these are
  /// copied as well, which may spoil another operation.
  void copy_where_needed() {
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (std::size_t i = 0; i < program_.operations.size(); ++i) {
        has_changed = copy_if_mixed(static_cast<int>(i)) || has_changed;
      }
    }
  }

  bool copy_if_mixed(int index) {
    auto const slots = view(read_by(program_.operations[static_cast<std::size_t>(index)]));
    bool has_redirected = false;
    bool has_other = false;
    for_each_block(program_.frame, slots, [&](Buffer buffer, int block) {
      bool const is = is_redirected(buffer, block, index);
      has_redirected = has_redirected || is;
      has_other = has_other || !is;
    });
    if (!has_redirected || !has_other) {
      return false;
    }
    for_each_block(program_.frame, slots, [&](Buffer buffer, int block) {
      if (is_redirected(buffer, block, index)) {
        is_copied_[place(block)] = true;
      }
    });
    return true;
  }

  void redirect() {
    for (std::size_t i = 0; i < program_.operations.size(); ++i) {
      Range& range = read_by(program_.operations[i]);
      auto const slots = view(range);
      if (slots.empty() || !is_redirected(slots[0].buffer, slots[0].first, static_cast<int>(i))) {
        continue;
      }
      std::vector<Slot> redirected;
      for_each_block(program_.frame, slots, [&](Buffer /*buffer*/, int block) {
        append_coalesced(redirected, input_of(blocks(block)), own_.size);
      });
      range.begin = static_cast<int>(program_.slot_pool.size());
      program_.slot_pool.insert(program_.slot_pool.end(), redirected.begin(), redirected.end());
      range.end = static_cast<int>(program_.slot_pool.size());
    }
  }

  RankProgram& program_;
  BlockRun own_;
  BlockRun kept_;
  bool copies_all_ = false;
  std::vector<bool> is_copied_;
  std::vector<int> first_write_;
};

/// Makes room for one write in front, for which everything waits.
void shift_waits(RankProgram& program) {
  for (Operation& operation : program.operations) {
    operation.after_sends += operation.after_sends > 0 ? 1 : 0;
  }
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

Range append(std::vector<Slot>& pool, std::vector<Slot> const& slots) {
  auto const begin = static_cast<int>(pool.size());
  pool.insert(pool.end(), slots.begin(), slots.end());
  return {.begin = begin, .end = static_cast<int>(pool.size())};
}

}  // namespace

RankProgram from_input(RankProgram program, Collective collective, int root) {
  require_messages(program, "from_input");
  if (collective == Collective::alltoall || collective == Collective::barrier ||
      collective == Collective::bcast) {
    return program;
  }
  Redirection redirection(program, collective, root);
  std::vector<Slot> const destination = redirection.run();
  if (destination.empty()) {
    return program;
  }
  shift_waits(program);
  std::vector<Slot> source;
  for (Slot const& slot : destination) {
    source.push_back(redirection.input_of(slot));
  }
  Operation copy{.kind = Kind::copy};
  copy.slots = append(program.slot_pool, destination);
  copy.sources = append(program.slot_pool, source);
  program.operations.insert(program.operations.begin(), copy);
  return program;
}

}  // namespace espalier::schedule
