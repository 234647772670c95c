// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <ctime>

namespace espalier::watch {

/// Nanoseconds of a clock that all processes of a node read alike.
using Time = std::int64_t;

/// Some milliseconds coarse, and therefore cheap enough for every wait.
inline Time now() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return Time{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace espalier::watch
