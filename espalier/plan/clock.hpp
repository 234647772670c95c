// SPDX-License-Identifier: Apache-2.0

/// @file
/// The clock that calls are timed with: monotonic, read by each process alone.

#pragma once

#include <chrono>

#ifdef ESPALIER_MPI_SIMULATED
#include <simgrid/engine.h>
#endif

namespace espalier::plan {

#ifdef ESPALIER_MPI_SIMULATED
/// The time of the simulated machine. Reading it takes none of that time, as MPI_Wtime would.
struct Clock {
  using duration = std::chrono::duration<double>;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock, duration>;
  static constexpr bool is_steady = true;

  static time_point now() noexcept { return time_point(duration(simgrid_get_clock())); }
};

/// For how long a search may go on. Work of the processor takes none of the simulated time, so
/// there it ends when it is done: what it finds must not depend on how fast the real machine is.
constexpr std::chrono::steady_clock::duration
search_limit(std::chrono::steady_clock::duration /*limit*/) noexcept {
  return std::chrono::hours{24};
}
#else
using Clock = std::chrono::steady_clock;

/// For how long a search may go on.
constexpr Clock::duration search_limit(Clock::duration limit) noexcept {
  return limit;
}
#endif

}  // namespace espalier::plan
