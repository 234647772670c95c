// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/allgather/parts/regions.hpp"

#include <algorithm>
#include <cstddef>

#include "espalier/base/integer.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {

RankRange Regions::region(std::int64_t index) const {
  return rows.row(wrap(index, rows.num_rows()));
}

int Regions::rank_at(std::int64_t index, int place) const {
  return region(index).begin + place % region(index).size;
}

schedule::Slot Regions::blocks(std::int64_t index, int num_regions) const {
  int const begin = region(index).begin;
  return schedule::blocks(
      begin, wrap(region(index + num_regions).begin - begin, rows.whole().size)
  );
}

std::string RegionalGathering::refuses() const {
  for (int const size : {regions.rows.row(0).size, regions.rows.smallest()}) {
    if (std::string const reason = inner.refuses(size, 0); !reason.empty()) {
      return "in regions of " + std::to_string(size) + " ranks, inner " + reason;
    }
  }
  return "";
}

int RegionalGathering::num_rounds() const {
  int const largest = regions.rows.row(0).size;
  return std::max(inner.num_rounds(largest, 0), inner.num_rounds(regions.rows.smallest(), 0));
}

void RegionalGathering::append(
    schedule::Builder& builder, std::span<schedule::Slot const> blocks_of
) const {
  int const end = builder.round() + num_rounds();
  RankRange const region = regions.region(regions.rows.row_of(builder.rank()));
  schedule::nest(
      builder,
      inner.generate(region.size, 0, builder.rank() - region.begin),
      {
          .rank_of = [&](int i) { return region.begin + i; },
          .blocks_of = [&](int i) { return blocks_of[static_cast<std::size_t>(i)]; },
      }
  );
  builder.next_round(end);
}

}  // namespace espalier::algorithms
