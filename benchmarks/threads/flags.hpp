// SPDX-License-Identifier: Apache-2.0

/// @file
/// Flags among threads of a process: numbers that only rise, so that nothing is ever reset.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "espalier/exec/node/waiting.hpp"

namespace espalier::benchmarks::threads {

/// How often a thread has called, counted from 1.
using Epoch = std::uint64_t;

inline constexpr std::size_t line_bytes = 64;

/// A number in a cache line of its own. Who stores or raises it releases what it wrote before, and
/// who waits for it acquires that.
class Flag {
public:
  void store(Epoch value) noexcept { value_.store(value, std::memory_order_release); }

  void raise() noexcept { value_.fetch_add(1, std::memory_order_release); }

  /// Spins for a while; where threads share cores it soon lets others run.
  void wait_for(Epoch least, bool shares_cores) const noexcept {
    exec::node::Patience patience(shares_cores);
    while (value_.load(std::memory_order_acquire) < least) {
      patience.pause([] {});
    }
  }

private:
  alignas(line_bytes) std::atomic<Epoch> value_ = 0;
};

/// What only its thread reads and writes, in a cache line of its own.
struct alignas(line_bytes) Count {
  Epoch value = 0;
};

}  // namespace espalier::benchmarks::threads
