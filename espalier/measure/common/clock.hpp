// SPDX-License-Identifier: Apache-2.0

/// @file
/// Time as ranks see it: of the machine, or of the simulator. `clock_real.cpp` or
/// `clock_simulated.cpp` is linked.

#pragma once

#include <chrono>

namespace espalier::measure {

/// Monotonic and not adjusted; each rank reads only its own.
struct Clock {
  using duration = std::chrono::duration<double>;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock, duration>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept;
};

/// Whether time and machine are simulated; computing then takes no time.
[[nodiscard]] bool is_simulated() noexcept;

/// Smallest step between two readings that differ, in microseconds; 0 when simulated.
[[nodiscard]] double clock_resolution_us() noexcept;

inline double now_us() noexcept {
  return Clock::now().time_since_epoch().count() * 1e6;
}

inline double seconds_since(Clock::time_point start) noexcept {
  return (Clock::now() - start).count();
}

}  // namespace espalier::measure
