// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/happens_before.hpp"

#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"

namespace espalier::verify {
namespace {

using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;

using Bits = std::vector<std::uint64_t>;

constexpr std::size_t bits_of_word = 64;
constexpr std::size_t most_words = std::size_t{1} << 29;

void set(Bits& row, std::size_t bit) {
  row[bit / bits_of_word] |= std::uint64_t{1} << (bit % bits_of_word);
}

bool has(Bits const& row, std::size_t bit) {
  return (row[bit / bits_of_word] >> (bit % bits_of_word) & 1U) != 0;
}

void unite(Bits& row, Bits const& other) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] |= other[i];
  }
}

}  // namespace

HappensBefore::HappensBefore(
    AllOperations const& all, Counters const& counters, std::span<OperationReference const> order
)
    : all_(all) {
  auto const num_ranks = static_cast<std::size_t>(all.num_ranks());
  number_remote_writes();
  num_words_ = (all.size() + num_remote_writes_ + num_ranks) / bits_of_word + 1;
  if (std::size_t const most = most_words / num_words_; all.size() > most) {
    throw Error(
        ErrorCode::unsupported,
        formatted(
            "expected at most {} one-sided operations of all ranks, got {}: prove fewer ranks",
            most,
            all.size()
        )
    );
  }
  rows_.resize(all.size());
  leaves_.assign(num_ranks, Bits(num_words_));
  written_.assign(num_ranks, {.num_operations = 0, .row = Bits(num_words_)});
  sent_ = written_;
  for (OperationReference const reference : order) {
    add(reference, counters);
  }
  for (int rank = 0; rank < all.num_ranks(); ++rank) {
    set(leaves_[static_cast<std::size_t>(rank)], bit_of_enter(rank));
  }
}

void HappensBefore::number_remote_writes() {
  remote_write_.assign(all_.size(), -1);
  for (int rank = 0; rank < all_.num_ranks(); ++rank) {
    OperationReference reference{rank, 0};
    for (Operation const& operation : all_.program(rank).operations) {
      if (operation.kind == Kind::put) {
        remote_write_[all_.index(reference)] = static_cast<int>(num_remote_writes_++);
      }
      ++reference.operation;
    }
  }
}

std::size_t HappensBefore::bit_of_end(Access access) const {
  std::size_t const index = all_.index(access.operation);
  return access.is_remote_write ? all_.size() + static_cast<std::size_t>(remote_write_[index])
                                : index;
}

std::size_t HappensBefore::bit_of_enter(int rank) const {
  return all_.size() + num_remote_writes_ + static_cast<std::size_t>(rank);
}

HappensBefore::Bits const& HappensBefore::row_of(OperationReference reference) const {
  return rows_[all_.index(reference)];
}

void HappensBefore::add(OperationReference reference, Counters const& counters) {
  RankProgram const& program = all_.program(reference.rank);
  Operation const& operation = all_[reference];
  auto const rank = static_cast<std::size_t>(reference.rank);
  Bits row(num_words_);
  set(row, bit_of_enter(reference.rank));
  add_prefix(row, written_[rank], reference, operation.after, true);
  add_prefix(row, sent_[rank], reference, operation.after_sends, false);
  for (int const awaited : program.waits(operation)) {
    unite(row, row_of({.rank = reference.rank, .operation = awaited}));
  }
  for (OperationReference const raiser : counters.raisers[all_.index(reference)]) {
    unite(row, row_of(raiser));
    if (all_[raiser].kind == Kind::put) {
      set(row, bit_of_end({.operation = raiser, .is_remote_write = true}));
    }
  }
  set(row, bit_of_end({.operation = reference}));
  unite(leaves_[rank], row);
  rows_[all_.index(reference)] = std::move(row);
}

/// Most programs ask with an `end` that never falls, and so every operation is looked at once.
void HappensBefore::add_prefix(
    Bits& row, Prefix& prefix, OperationReference reference, int end, bool writes
) {
  if (end < prefix.num_operations) {
    prefix = {.num_operations = 0, .row = Bits(num_words_)};
  }
  for (; prefix.num_operations < end; ++prefix.num_operations) {
    OperationReference const waited_for{reference.rank, prefix.num_operations};
    if (all_[waited_for].writes() == writes) {
      unite(prefix.row, row_of(waited_for));
    }
  }
  unite(row, prefix.row);
}

bool HappensBefore::is_before(Access access, OperationReference later) const {
  return has(row_of(later), bit_of_end(access));
}

bool HappensBefore::starts_after_enter(OperationReference operation, int rank) const {
  return has(row_of(operation), bit_of_enter(rank));
}

bool HappensBefore::is_before_leave(Access access, int rank) const {
  return has(leaves_[static_cast<std::size_t>(rank)], bit_of_end(access));
}

bool HappensBefore::leaves_after_enter(int rank, int entered) const {
  return has(leaves_[static_cast<std::size_t>(rank)], bit_of_enter(entered));
}

}  // namespace espalier::verify
