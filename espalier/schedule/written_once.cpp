// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/schedule/preconditions.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::schedule {
namespace {

/// A block of a buffer, as a list of slots has them.
using Blocks = std::vector<std::pair<Buffer, int>>;

/// Gives each write of a scratch block a place of its own.
class Renamer {
public:
  explicit Renamer(RankProgram const& program)
      : program_(program), place_of_(program.frame.scratch_like.size(), -1),
        is_written_(static_cast<std::size_t>(program.frame.num_output_blocks)) {}

  RankProgram run() {
    std::vector<std::pair<Blocks, Blocks>> touched;
    for (Operation const& operation : program_.operations) {
      Blocks sources = read(program_.sources(operation));
      bool const is_written = operation.kind != Kind::send;
      Blocks slots =
          is_written ? written(program_.slots(operation)) : read(program_.slots(operation));
      touched.emplace_back(std::move(slots), std::move(sources));
    }
    RankProgram result{
        .frame = program_.frame, .rank = program_.rank, .wait_pool = program_.wait_pool
    };
    result.frame.scratch_like = like_;
    for (std::size_t i = 0; i < touched.size(); ++i) {
      Operation& operation = result.operations.emplace_back(program_.operations[i]);
      operation.slots = add(touched[i].first, result);
      operation.sources = add(touched[i].second, result);
    }
    return result;
  }

private:
  /// Whoever reads comes after the last write in program order: no other order is proved.
  [[nodiscard]] Blocks read(std::span<Slot const> slots) const {
    Blocks result;
    for_each_block(program_.frame, slots, [&](Buffer buffer, int block) {
      bool const is_scratch = buffer == Buffer::scratch;
      result.emplace_back(buffer, is_scratch ? place_of_[static_cast<std::size_t>(block)] : block);
    });
    return result;
  }

  Blocks written(std::span<Slot const> slots) {
    Blocks result;
    for_each_block(program_.frame, slots, [&](Buffer buffer, int block) {
      auto const i = static_cast<std::size_t>(block);
      if (buffer == Buffer::scratch) {
        place_of_[i] = static_cast<int>(like_.size());
        like_.push_back(program_.frame.scratch_like[i]);
        block = place_of_[i];
      } else {
        require_unwritten(block);
        is_written_[i] = true;
      }
      result.emplace_back(buffer, block);
    });
    return result;
  }

  void require_unwritten(int block) const {
    if (is_written_[static_cast<std::size_t>(block)]) {
      throw Error(
          ErrorCode::unsupported,
          "expected a program that writes each output block once, got one that writes block " +
              std::to_string(block) + " again"
      );
    }
  }

  static Range add(Blocks const& blocks, RankProgram& to) {
    std::vector<Slot> slots;
    for (auto const& [buffer, block] : blocks) {
      append(slots, buffer, block);
    }
    return add_slots(to, slots);
  }

  /// Slots of the result do not wrap, so that more scratch blocks can be added to it.
  static void append(std::vector<Slot>& slots, Buffer buffer, int block) {
    if (!slots.empty() && slots.back().num_blocks == 1 && slots.back().first < block) {
      slots.back().stride = block - slots.back().first;
      slots.back().num_blocks = 2;
      return;
    }
    if (!slots.empty() && slots.back().num_blocks > 1) {
      Slot& last = slots.back();
      if (last.first + last.num_blocks * last.stride == block) {
        ++last.num_blocks;
        return;
      }
    }
    slots.push_back({.buffer = buffer, .first = block});
  }

  RankProgram const& program_;
  std::vector<int> place_of_;
  std::vector<bool> is_written_;
  std::vector<int> like_;
};

}  // namespace

RankProgram written_once(RankProgram const& program) {
  require_messages(program, "a program whose blocks are written once");
  for (Operation const& operation : program.operations) {
    if (operation.kind == Kind::reduce || operation.kind == Kind::native) {
      throw Error(
          ErrorCode::unsupported, "expected a program that only moves data by messages and copies"
      );
    }
  }
  return Renamer(program).run();
}

}  // namespace espalier::schedule
