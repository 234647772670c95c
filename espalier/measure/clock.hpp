// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <chrono>

namespace espalier::measure {

/// Monotonic and not adjusted; each rank reads only its own.
using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) noexcept {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Smallest step seen between two readings, in microseconds.
inline double clock_resolution_us() noexcept {
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
