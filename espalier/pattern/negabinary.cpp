// SPDX-License-Identifier: Apache-2.0

#include "espalier/pattern/negabinary.hpp"

#include <algorithm>

#include "espalier/base/integer.hpp"

namespace espalier::pattern {

std::int64_t negabinary_ones(int step) noexcept {
  std::int64_t const power = std::int64_t{2} << step;
  return (step % 2 == 0 ? 1 + power : 1 - power) / 3;
}

int negabinary_partner(int p, int rank, int step) noexcept {
  std::int64_t const distance = negabinary_ones(step);
  return wrap(rank % 2 == 0 ? rank + distance : rank - distance, p);
}

int negabinary_run_begin(int p, int rank, int num_steps) noexcept {
  // From an even rank; from an odd one it is the mirror image.
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (int step = 0; step < num_steps; ++step) {
    std::int64_t const distance = negabinary_ones(step);
    std::int64_t const mirrored_low = distance - high;
    high = std::max(high, distance - low);
    low = std::min(low, mirrored_low);
  }
  return wrap(rank % 2 == 0 ? rank + low : rank - high, p);
}

}  // namespace espalier::pattern
