// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/allgather/regions.hpp"

#include "espalier/base/integer.hpp"

namespace espalier::algorithms {

Run Regions::region(std::int64_t index) const {
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

}  // namespace espalier::algorithms
