// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/reduce_scatter/parts/partial_sums.hpp"

#include <algorithm>
#include <cstddef>

#include "espalier/base/integer.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

using schedule::Buffer;
using schedule::Slot;

constexpr int none = -1;

std::size_t index(int block) {
  return static_cast<std::size_t>(block);
}

Slot scratch_block(int block) {
  return {.buffer = Buffer::scratch, .first = block, .num_blocks = 1, .stride = 1};
}

/// Scratch still grows: a sequence may not wrap there, so it has to ascend.
void append_ascending(std::vector<Slot>& slots, Slot const& slot) {
  if (!slots.empty()) {
    Slot& last = slots.back();
    int const gap = slot.first - last.first;
    if (last.num_blocks == 1 && gap > 0) {
      last.stride = gap;
    }
    if (gap > 0 && gap == last.stride * last.num_blocks) {
      ++last.num_blocks;
      return;
    }
  }
  slots.push_back(slot);
}

std::vector<Slot> scratch_slots(std::span<int const> blocks, std::vector<int> const& place_of) {
  std::vector<Slot> slots;
  for (int const block : blocks) {
    append_ascending(slots, scratch_block(place_of[index(block)]));
  }
  return slots;
}

}  // namespace

PartialSums::PartialSums(schedule::Builder& builder)
    : builder_(builder), sum_(index(builder.frame().num_output_blocks), none) {}

void PartialSums::exchange(Handover const& step) {
  bring_together(step.sent);
  builder_.recv(step.from, inbox(0, step.kept));
  builder_.send(step.to, places(step.sent));
  combine(step.kept);
}

void PartialSums::exchange(Split const& step) {
  auto const own = index(
      static_cast<int>(std::ranges::find(step.members, builder_.rank()) - step.members.begin())
  );
  std::size_t const num_members = step.members.size();
  for (std::size_t i = 0; i < num_members; ++i) {
    if (i != own) {
      builder_.recv(step.members[i], inbox(i < own ? i : i - 1, step.kept[own]));
    }
  }
  // Each to another one at a time: nobody has to take in all messages at the end.
  for (std::size_t i = own + 1; i < own + num_members; ++i) {
    std::size_t const member = i % num_members;
    builder_.send(step.members[member], places(step.kept[member]));
  }
  combine_in_order(step.kept[own], own, num_members);
}

void PartialSums::receive(int from, std::span<int const> blocks) {
  builder_.recv(from, inbox(0, blocks));
  combine(blocks);
}

void PartialSums::send(int to, std::span<int const> blocks) {
  bring_together(blocks);
  builder_.send(to, places(blocks));
}

void PartialSums::deliver(std::span<int const> blocks) {
  std::vector<int> const sums = sums_among(blocks);
  builder_.next_round(builder_.round());
  builder_.copy(output_slots(builder_, sums), scratch_slots(sums, sum_));
}

std::vector<Slot> PartialSums::places(std::span<int const> blocks) const {
  bool const are_contributions = !blocks.empty() && sum_[index(blocks.front())] == none;
  return are_contributions ? output_slots(builder_, blocks) : scratch_slots(blocks, sum_);
}

int PartialSums::new_scratch(int block) {
  return builder_.scratch(schedule::blocks(block)).first;
}

void PartialSums::copy_to_scratch(std::span<int const> blocks) {
  for (int const block : blocks) {
    sum_[index(block)] = new_scratch(block);
  }
  builder_.copy(scratch_slots(blocks, sum_), output_slots(builder_, blocks));
}

void PartialSums::bring_together(std::span<int const> blocks) {
  std::vector<int> const contributions = contributions_among(blocks);
  if (!contributions.empty() && contributions.size() < blocks.size()) {
    copy_to_scratch(contributions);
    builder_.next_round(builder_.round());
  }
}

std::vector<int> PartialSums::contributions_among(std::span<int const> blocks) const {
  std::vector<int> result;
  std::ranges::copy_if(blocks, std::back_inserter(result), [&](int block) {
    return sum_[index(block)] == none;
  });
  return result;
}

std::vector<int> PartialSums::sums_among(std::span<int const> blocks) const {
  std::vector<int> result;
  std::ranges::copy_if(blocks, std::back_inserter(result), [&](int block) {
    return sum_[index(block)] != none;
  });
  return result;
}

std::vector<Slot> PartialSums::inbox(std::size_t number, std::span<int const> blocks) {
  if (inbox_.size() <= number) {
    inbox_.resize(number + 1, std::vector<int>(sum_.size(), none));
  }
  for (int const block : blocks) {
    if (inbox_[number][index(block)] == none) {
      inbox_[number][index(block)] = new_scratch(block);
    }
  }
  return scratch_slots(blocks, inbox_[number]);
}

void PartialSums::combine(std::span<int const> blocks) {
  std::vector<int> const contributions = contributions_among(blocks);
  std::vector<int> const sums = sums_among(blocks);
  builder_.next_round(builder_.round());
  // The result stands where the right operand stood; the output is not written.
  builder_.reduce(scratch_slots(contributions, inbox_[0]), output_slots(builder_, contributions));
  builder_.reduce(scratch_slots(sums, sum_), scratch_slots(sums, inbox_[0]));
  for (int const block : contributions) {
    std::swap(sum_[index(block)], inbox_[0][index(block)]);
  }
}

void PartialSums::combine_in_order(
    std::span<int const> blocks, std::size_t own, std::size_t num_operands
) {
  bool const is_last = own == num_operands - 1;
  if (is_last) {
    copy_to_scratch(contributions_among(blocks));
  }
  std::vector<Slot> const result =
      is_last ? places(blocks) : scratch_slots(blocks, inbox_[num_operands - 2]);
  for (std::size_t i = num_operands - 1; i-- > 0;) {
    builder_.next_round(builder_.round());
    builder_.reduce(
        result, i == own ? places(blocks) : scratch_slots(blocks, inbox_[i < own ? i : i - 1])
    );
  }
  for (int const block : is_last ? std::span<int const>() : blocks) {
    std::swap(sum_[index(block)], inbox_[num_operands - 2][index(block)]);
  }
}

void gather_back(schedule::Builder& builder, std::span<Handover const> steps) {
  builder.wait_for_sends().next_round(builder.round());
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    builder.recv(step->to, output_slots(builder, step->sent));
    builder.send(step->from, output_slots(builder, step->kept));
    builder.next_round();
  }
}

std::vector<Slot> output_slots(schedule::Builder const& builder, std::span<int const> blocks) {
  std::vector<Slot> slots;
  for (int const block : blocks) {
    schedule::append_coalesced(slots, schedule::blocks(block), builder.frame().num_output_blocks);
  }
  return slots;
}

std::vector<int> comb(std::int64_t first, int num_blocks, int stride, int n) {
  std::vector<int> result;
  result.reserve(index(num_blocks));
  for (int i = 0; i < num_blocks; ++i) {
    result.push_back(wrap(first + std::int64_t{i} * stride, n));
  }
  return result;
}

}  // namespace espalier::algorithms
