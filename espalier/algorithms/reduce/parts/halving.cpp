// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/reduce/parts/halving.hpp"

#include <bit>
#include <utility>

namespace espalier::algorithms {

Survivors::Survivors(int num_ranks, int root)
    : root_(root), size_(static_cast<int>(std::bit_floor(static_cast<unsigned>(num_ranks)))),
      num_pairs_(num_ranks - size_) {}

int Survivors::rank_of(int number) const noexcept {
  if (number >= num_pairs_) {
    return number + num_pairs_;
  }
  return 2 * number + (root_ == 2 * number + 1 ? 1 : 0);
}

int Survivors::number_of(int rank) const noexcept {
  return is_paired(rank) ? rank / 2 : rank - num_pairs_;
}

schedule::BlockRun kept_pieces(int num_pieces, int number, int step) noexcept {
  schedule::BlockRun run{.begin = 0, .size = num_pieces};
  for (int i = 0; i <= step; ++i) {
    run.size /= 2;
    run.begin += (number >> i & 1) * run.size;
  }
  return run;
}

schedule::Slot PieceLayout::at(schedule::BlockRun run) const noexcept {
  schedule::Slot part = slot;
  part.first += run.begin - begin;
  part.num_blocks = run.size;
  return part;
}

Halving::Halving(schedule::Builder& builder, Survivors const& all)
    : builder_(builder), all_(all), sum_{.slot = schedule::blocks(0, all.size())} {
  int const rank = builder.rank();
  auto const run = kept_pieces(all.size(), all.number_of(rank), all.is_paired(rank) ? -1 : 0);
  schedule::Slot const pieces = schedule::blocks(run.begin, run.size);
  arriving_ = {.slot = builder.scratch(pieces), .begin = run.begin};
  spare_ = {.slot = builder.scratch(pieces), .begin = run.begin};
}

void Halving::run() {
  if (all_.num_pairs() > 0) {
    meet();
    builder_.next_round(1);
  }
  for (int step = 0; step < all_.num_steps(); ++step) {
    halve(step);
    builder_.next_round();
  }
}

void Halving::meet() {
  int const rank = builder_.rank();
  if (all_.is_paired(rank)) {
    schedule::BlockRun const whole{.begin = 0, .size = all_.size()};
    builder_.recv(rank ^ 1, arriving_.at(whole));
    combine(whole, rank % 2 == 0);
  }
}

void Halving::halve(int step) {
  int const number = all_.number_of(builder_.rank());
  int const partner = number ^ 1 << step;
  int const peer = all_.rank_of(partner);
  schedule::BlockRun const run = kept_pieces(all_.size(), number, step);
  builder_.recv(peer, arriving_.at(run));
  builder_.send(peer, sum_.at(kept_pieces(all_.size(), partner, step)));
  combine(run, number < partner);
}

/// The right operand becomes the sum: what arrived, or the old sum. The contribution itself must
/// not be overwritten. What arrives next needs less memory than what is no longer needed here.
void Halving::combine(schedule::BlockRun run, bool is_sum_left) {
  bool const is_own = sum_.slot.buffer == schedule::Buffer::output;
  if (is_own && !is_sum_left) {
    builder_.copy(spare_.at(run), sum_.at(run));
    sum_ = spare_;
  }
  builder_.next_round(builder_.round());
  if (!is_sum_left) {
    builder_.reduce(sum_.at(run), arriving_.at(run));
    return;
  }
  builder_.reduce(arriving_.at(run), sum_.at(run));
  std::swap(sum_, arriving_);
  arriving_ = is_own ? spare_ : arriving_;
}

}  // namespace espalier::algorithms
