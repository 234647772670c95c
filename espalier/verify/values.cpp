// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/values.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/schedule/text.hpp"

namespace espalier::verify {
namespace {

using schedule::Buffer;
using schedule::Frame;
using schedule::Kind;
using schedule::Operation;
using schedule::Range;
using schedule::RankProgram;

constexpr std::int32_t no_value = -1;

}  // namespace

Values::Values(AllOperations const& all, Contract const& contract)
    : all_(all), contract_(contract), num_output_blocks_(all.program(0).frame.num_output_blocks) {
  std::int64_t const num_leaves =
      contract.num_values(all.program(0).frame) * (contract.reduces() ? all.num_ranks() : 1);
  if (num_leaves > std::numeric_limits<std::int32_t>::max() / 2) {
    throw Error(
        ErrorCode::unsupported,
        formatted("expected at most 2^30 contributions, got {}: use fewer blocks", num_leaves)
    );
  }
  num_leaves_ = static_cast<std::int32_t>(num_leaves);
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
        std::int32_t const value = contract_.value_at_start(frame, rank, buffer, block);
        values_[cell] = value < 0 ? no_value : leaf + value;
      }
    }
  }
}

void Values::cells(OperationReference reference, Range range, std::vector<std::size_t>& result)
    const {
  RankProgram const& program = all_.program(reference.rank);
  std::size_t const first = first_cell_[static_cast<std::size_t>(reference.rank)];
  std::span const slots(
      program.slot_pool.data() + range.begin, static_cast<std::size_t>(range.size())
  );
  result.clear();
  schedule::for_each_block(program.frame, slots, [&](Buffer buffer, int block) {
    result.push_back(first + static_cast<std::size_t>(cell_of(program.frame, buffer, block)));
  });
}

void Values::cells_of_peer(
    OperationReference reference, Range range, std::vector<std::size_t>& result
) const {
  RankProgram const& program = all_.program(reference.rank);
  int const peer = all_[reference].peer;
  Frame const& frame = all_.program(peer).frame;
  std::size_t const first = first_cell_[static_cast<std::size_t>(peer)];
  std::span const slots(
      program.slot_pool.data() + range.begin, static_cast<std::size_t>(range.size())
  );
  result.clear();
  schedule::for_each_remote_block(slots, [&](Buffer buffer, int block) {
    result.push_back(first + static_cast<std::size_t>(cell_of(frame, buffer, block)));
  });
}

void Values::transfer(OperationReference send, OperationReference receive) {
  cells(send, all_[send].slots, from_);
  cells(receive, all_[receive].slots, to_);
  move(send);
}

void Values::apply_one_sided(OperationReference reference) {
  Operation const& operation = all_[reference];
  from_.clear();
  to_.clear();
  if (operation.kind == Kind::put) {
    cells(reference, operation.sources, from_);
    cells_of_peer(reference, operation.slots, to_);
  } else if (operation.kind == Kind::get) {
    cells_of_peer(reference, operation.sources, from_);
    cells(reference, operation.slots, to_);
  }
  if (operation.kind != Kind::await) {
    move(reference);
  }
}

void Values::move(OperationReference observed) {
  for (std::size_t i = 0; i < from_.size(); ++i) {
    values_[to_[i]] = values_[from_[i]];
  }
  if (observer_) {
    std::vector<std::int32_t> carried;
    std::ranges::transform(from_, std::back_inserter(carried), [&](std::size_t cell) {
      return values_[cell];
    });
    observer_(observed, carried);
  }
}

void Values::apply(OperationReference reference) {
  Operation const& operation = all_[reference];
  cells(reference, operation.sources, from_);
  cells(reference, operation.slots, to_);
  for (std::size_t i = 0; i < from_.size(); ++i) {
    std::int32_t const source = values_[from_[i]];
    values_[to_[i]] = operation.kind == Kind::copy ? source : combine(source, values_[to_[i]]);
  }
}

std::int32_t Values::combine(std::int32_t left, std::int32_t right) {
  if (contract_.order == OperandOrder::any && left > right) {
    std::swap(left, right);
  }
  auto const key = static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
  auto const next = num_leaves_ + static_cast<std::int32_t>(sums_.size());
  auto const [reference, is_new] = known_sums_.emplace(key, next);
  if (is_new) {
    sums_.push_back({.left = left, .right = right});
  }
  return reference->second;
}

Values::Sum const& Values::sum(std::int32_t value) const {
  return sums_[static_cast<std::size_t>(value - num_leaves_)];
}

std::int32_t Values::output(int rank, int block) const {
  int const cell = cell_of(all_.program(rank).frame, Buffer::output, block);
  return values_[first_cell_[static_cast<std::size_t>(rank)] + static_cast<std::size_t>(cell)];
}

int Values::label_of(std::int32_t value) const {
  while (!is_leaf(value)) {
    value = sum(value).left;
  }
  return contract_.reduces() ? value % num_output_blocks_ : value;
}

std::optional<Violation> Values::judge() {
  is_complete_.assign(sums_.size(), false);
  for (int rank = 0; rank < all_.num_ranks(); ++rank) {
    auto const promised = contract_.promised(all_.program(rank).frame, rank);
    for (int block = promised.begin; block < promised.begin + promised.size; ++block) {
      if (auto violation = judge_block(rank, block)) {
        return violation;
      }
    }
  }
  return contract_.collective == Collective::allreduce ? judge_agreement() : std::nullopt;
}

std::optional<Violation> Values::judge_block(int rank, int block) {
  std::int32_t const value = output(rank, block);
  std::int32_t const label = contract_.promised_value(all_.program(rank).frame, rank, block);
  bool const is_right = contract_.reduces() ? value != no_value : value == label;
  if (!is_right) {
    return Violation{
        .rule = ProverRule::postcondition,
        .rank = rank,
        .operation = -1,
        .text = formatted(
            "output {} must hold {} of block {} at the end, got {}",
            block,
            contract_.reduces() ? "the sum" : "the data",
            label,
            described(value)
        ),
    };
  }
  if (!contract_.reduces()) {
    return std::nullopt;
  }
  bool const is_for_all = contract_.num_operands(rank) == all_.num_ranks() && !is_leaf(value);
  auto const index = static_cast<std::size_t>(is_for_all ? value - num_leaves_ : 0);
  if (is_for_all && is_complete_[index]) {
    return std::nullopt;
  }
  auto violation = judge_sum(rank, block, value);
  if (is_for_all && !violation) {
    is_complete_[index] = true;
  }
  return violation;
}

std::optional<Violation> Values::judge_sum(int rank, int block, std::int32_t value) const {
  std::vector<int> const operands = contributors(value);
  std::vector<int> sorted = operands;
  std::ranges::sort(sorted);
  int const expected = contract_.num_operands(rank);
  bool is_complete = static_cast<int>(sorted.size()) == expected;
  for (std::size_t i = 0; is_complete && i < sorted.size(); ++i) {
    is_complete = sorted[i] == static_cast<int>(i);
  }
  bool const is_ordered = contract_.order == OperandOrder::any || sorted == operands;
  bool const is_folded = contract_.order != OperandOrder::left || is_left_fold(value);
  if (is_complete && is_ordered && is_folded) {
    return std::nullopt;
  }
  return Violation{
      .rule = is_complete ? ProverRule::operand_order : ProverRule::contribution,
      .rank = rank,
      .operation = -1,
      .text = formatted(
          "output {} must combine ranks 0-{} {} at the end, got {}{}",
          block,
          expected - 1,
          !is_complete                            ? "once each"
          : contract_.order == OperandOrder::left ? "in this order from the left"
                                                  : "in this order",
          described(value),
          is_ordered && !is_folded ? " with other brackets" : ""
      ),
  };
}

/// Every right operand is a single contribution.
bool Values::is_left_fold(std::int32_t value) const {
  while (!is_leaf(value)) {
    Sum const& top = sum(value);
    if (!is_leaf(top.right)) {
      return false;
    }
    value = top.left;
  }
  return true;
}

std::optional<Violation> Values::judge_agreement() const {
  for (int rank = 1; rank < all_.num_ranks(); ++rank) {
    for (int block = 0; block < num_output_blocks_; ++block) {
      if (output(rank, block) != output(0, block)) {
        return Violation{
            .rule = ProverRule::same_result,
            .rank = rank,
            .operation = -1,
            .text = formatted(
                "output {} must be combined as on rank 0 to have the same bits, got other operands "
                "or brackets",
                block
            ),
        };
      }
    }
  }
  return std::nullopt;
}

std::vector<int> Values::contributors(std::int32_t value) const {
  std::vector<int> ranks;
  if (value == no_value || !contract_.reduces()) {
    return ranks;
  }
  std::vector<std::int32_t> pending{value};
  while (!pending.empty() && static_cast<int>(ranks.size()) <= all_.num_ranks()) {
    std::int32_t const next = pending.back();
    pending.pop_back();
    if (is_leaf(next)) {
      ranks.push_back(next / num_output_blocks_);
      continue;
    }
    pending.push_back(sum(next).right);
    pending.push_back(sum(next).left);
  }
  return ranks;
}

std::string Values::described(std::int32_t value) const {
  if (value == no_value) {
    return "nothing";
  }
  if (!contract_.reduces()) {
    return is_leaf(value) ? formatted("the data of block {}", value) : "a sum";
  }
  std::vector<int> const operands = contributors(value);
  bool const is_cut = static_cast<int>(operands.size()) > all_.num_ranks();
  return formatted("ranks {}{}", schedule::runs_to_text(operands), is_cut ? " ..." : "");
}

}  // namespace espalier::verify
