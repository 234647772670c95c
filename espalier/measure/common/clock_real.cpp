// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "espalier/measure/common/clock.hpp"

namespace espalier::measure {

Clock::time_point Clock::now() noexcept {
  return time_point(std::chrono::steady_clock::now().time_since_epoch());
}

bool is_simulated() noexcept {
  return false;
}

double clock_resolution_us() noexcept {
  double smallest = 1e9;
  for (int i = 0; i < 1000; ++i) {
    auto const start = Clock::now();
    auto now = Clock::now();
    while (now == start) {
      now = Clock::now();
    }
    smallest = std::min(smallest, std::chrono::duration<double, std::micro>(now - start).count());
  }
  return smallest;
}

}  // namespace espalier::measure
