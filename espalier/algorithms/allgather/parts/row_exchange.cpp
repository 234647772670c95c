// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/allgather/parts/row_exchange.hpp"

#include <algorithm>
#include <array>

#include "espalier/algorithms/composed/phases.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

/// Where a rank stands: in which row, and at which place of it.
struct Position {
  int row = 0;
  RankRange run;
  int place = 0;
};

Position position_of(Rows const& rows, int rank) {
  int const row = rows.row_of(rank);
  RankRange const run = rows.row(row);
  return {.row = row, .run = run, .place = rank - run.begin};
}

/// Blocks of the other rows that the rank at `place` gives each rank of its row without partner.
std::array<schedule::Slot, 2> part_of_others(Rows const& rows, RankRange const& own, int place) {
  int const num_foreign = rows.whole().size - own.size;
  auto const begin = static_cast<int>(part_begin(num_foreign, rows.smallest(), place));
  auto const end = begin + static_cast<int>(part_size(num_foreign, rows.smallest(), place));
  int const split = std::clamp(own.begin - rows.whole().begin, begin, end);
  return {
      schedule::blocks(rows.whole().begin + begin, split - begin),
      schedule::blocks(rows.whole().begin + own.size + split, end - split),
  };
}

void exchange(
    schedule::Builder& builder, Rows const& rows, Position const& own, Choice const& across
) {
  schedule::Embedding const embedding{
      .rank_of = [&](int row) { return rows.row(row).begin + own.place; },
      .blocks_of = row_blocks(rows),
  };
  schedule::nest(builder, across.generate(rows.num_rows(), 0, own.row), embedding);
}

}  // namespace

void append_row_exchange(schedule::Builder& builder, Rows const& rows, Choice const& across) {
  Position const own = position_of(rows, builder.rank());
  int const partners = rows.smallest();
  int const exchange_end = builder.round() + across.num_rounds(rows.num_rows(), 0);
  if (own.place < partners) {
    exchange(builder, rows, own, across);
  }
  builder.next_round(exchange_end + std::max(0, own.place - partners));
  for (int place = 0; own.place >= partners && place < partners; ++place) {
    builder.recv(own.run.begin + place, part_of_others(rows, own.run, place));
  }
  for (int other = partners; own.place < partners && other < own.run.size; ++other) {
    builder.next_round(exchange_end + other - partners);
    builder.send(own.run.begin + other, part_of_others(rows, own.run, own.place));
  }
}

}  // namespace espalier::algorithms
