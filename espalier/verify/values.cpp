// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/values.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "espalier/schedule/text.hpp"

namespace espalier::verify {
namespace {

using schedule::Buffer;
using schedule::Frame;
using schedule::Kind;
using schedule::Operation;
using schedule::Range;
using schedule::RankProgram;

constexpr int no_value = -1;

}  // namespace

Values::Values(AllOperations const& all, Contract const& contract)
    : all_(all), contract_(contract), num_output_blocks_(all.program(0).frame.num_output_blocks) {
  num_leaves_ = num_output_blocks_ * (contract.reduces() ? all.num_ranks() : 1);
  std::size_t total = 0;
  for (int rank = 0; rank < all.num_ranks(); ++rank) {
    first_cell_.push_back(total);
    total += static_cast<std::size_t>(num_cells(all.program(rank).frame));
  }
  values_.assign(total, no_value);
  fill_at_start();
}

void Values::fill_at_start() {
  for (int rank = 0; rank < all_.num_ranks(); ++rank) {
    Frame const& frame = all_.program(rank).frame;
    int const leaf = contract_.reduces() ? rank * num_output_blocks_ : 0;
    std::size_t cell = first_cell_[static_cast<std::size_t>(rank)];
    for (Buffer const buffer : {Buffer::input, Buffer::output, Buffer::scratch}) {
      for (int block = 0; block < frame.num_blocks(buffer); ++block, ++cell) {
        if (contract_.holds_at_start(frame, rank, buffer, block)) {
          values_[cell] = leaf + frame.like(buffer, block);
        }
      }
    }
  }
}

void Values::cells(Place place, Range range, std::vector<std::size_t>& result) const {
  RankProgram const& program = all_.program(place.rank);
  std::size_t const first = first_cell_[static_cast<std::size_t>(place.rank)];
  std::span const slots(
      program.slot_pool.data() + range.begin, static_cast<std::size_t>(range.size())
  );
  result.clear();
  schedule::for_each_block(program.frame, slots, [&](Buffer buffer, int block) {
    result.push_back(first + static_cast<std::size_t>(cell_of(program.frame, buffer, block)));
  });
}

void Values::transfer(Place send, Place receive) {
  cells(send, all_[send].slots, from_);
  cells(receive, all_[receive].slots, to_);
  for (std::size_t i = 0; i < from_.size(); ++i) {
    values_[to_[i]] = values_[from_[i]];
  }
}

void Values::apply(Place place) {
  Operation const& operation = all_[place];
  cells(place, operation.sources, from_);
  cells(place, operation.slots, to_);
  for (std::size_t i = 0; i < from_.size(); ++i) {
    int const source = values_[from_[i]];
    values_[to_[i]] = operation.kind == Kind::copy ? source : combine(source, values_[to_[i]]);
  }
}

int Values::combine(int left, int right) {
  sums_.push_back({.left = left, .right = right});
  return num_leaves_ + static_cast<int>(sums_.size()) - 1;
}

int Values::output(int rank, int block) const {
  int const cell = cell_of(all_.program(rank).frame, Buffer::output, block);
  return values_[first_cell_[static_cast<std::size_t>(rank)] + static_cast<std::size_t>(cell)];
}

std::optional<Violation> Values::judge() const {
  for (int rank = 0; rank < all_.num_ranks(); ++rank) {
    for (int block = 0; block < num_output_blocks_; ++block) {
      if (!contract_.promises(all_.program(rank).frame, rank, block)) {
        continue;
      }
      if (auto violation = judge_block(rank, block)) {
        return violation;
      }
    }
  }
  return std::nullopt;
}

std::optional<Violation> Values::judge_block(int rank, int block) const {
  int const value = output(rank, block);
  bool const is_right = contract_.reduces() ? value != no_value : value == block;
  if (!is_right) {
    return Violation{
        .rule = Rule::postcondition,
        .rank = rank,
        .operation = -1,
        .text = fmt::format(
            "output {} must hold {} of block {} at the end, got {}",
            block,
            contract_.reduces() ? "the sum" : "the data",
            block,
            described(value)
        ),
    };
  }
  return contract_.reduces() ? judge_sum(rank, block, value) : std::nullopt;
}

std::optional<Violation> Values::judge_sum(int rank, int block, int value) const {
  std::vector<int> const operands = contributors(value);
  std::vector<int> sorted = operands;
  std::ranges::sort(sorted);
  bool is_complete = static_cast<int>(sorted.size()) == all_.num_ranks();
  for (std::size_t i = 0; is_complete && i < sorted.size(); ++i) {
    is_complete = sorted[i] == static_cast<int>(i);
  }
  if (is_complete && (contract_.is_commutative || sorted == operands)) {
    return std::nullopt;
  }
  return Violation{
      .rule = is_complete ? Rule::operand_order : Rule::contribution,
      .rank = rank,
      .operation = -1,
      .text = fmt::format(
          "output {} must combine ranks 0-{} {} at the end, got {}",
          block,
          all_.num_ranks() - 1,
          is_complete ? "in this order" : "once each",
          described(value)
      ),
  };
}

std::vector<int> Values::contributors(int value) const {
  std::vector<int> ranks;
  std::vector<int> pending{value};
  while (!pending.empty() && static_cast<int>(ranks.size()) <= all_.num_ranks()) {
    int const next = pending.back();
    pending.pop_back();
    if (next < num_leaves_) {
      ranks.push_back(next / num_output_blocks_);
      continue;
    }
    Sum const& sum = sums_[static_cast<std::size_t>(next - num_leaves_)];
    pending.push_back(sum.right);
    pending.push_back(sum.left);
  }
  return ranks;
}

std::string Values::described(int value) const {
  if (value < 0) {
    return "nothing";
  }
  if (!contract_.reduces()) {
    return value < num_leaves_ ? fmt::format("the data of block {}", value) : "a sum";
  }
  std::vector<int> const operands = contributors(value);
  bool const is_cut = static_cast<int>(operands.size()) > all_.num_ranks();
  return fmt::format("ranks {}{}", schedule::runs_to_text(operands), is_cut ? " ..." : "");
}

}  // namespace espalier::verify
