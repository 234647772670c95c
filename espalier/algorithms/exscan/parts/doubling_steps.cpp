// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/exscan/parts/doubling_steps.hpp"

#include <cstdint>

#include "espalier/base/integer.hpp"

namespace espalier::algorithms {
namespace {

/// The fewest inclusive rounds with which ceil(log2 p) rounds cover p - 1 ranks.
int fewest_inclusive(int p) {
  int const rounds = ceil_log2(p);
  int inclusive = 1;
  while (inclusive < rounds && ((std::int64_t{1} << inclusive) - 1) << (rounds - inclusive) < p - 1
  ) {
    ++inclusive;
  }
  return inclusive;
}

}  // namespace

std::vector<DoublingStep> doubling_steps(int p, int inclusive) {
  inclusive = inclusive == 0 ? fewest_inclusive(p) : inclusive;
  std::vector<DoublingStep> steps;
  // Ranks below that an exclusive sum is over.
  for (std::int64_t covered = 0; covered < p - 1;) {
    bool const is_inclusive = static_cast<int>(steps.size()) < inclusive;
    auto const distance = static_cast<int>(covered) + (is_inclusive ? 1 : 0);
    steps.push_back({.distance = distance, .is_inclusive = is_inclusive});
    covered += distance;
  }
  return steps;
}

}  // namespace espalier::algorithms
