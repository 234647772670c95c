// SPDX-License-Identifier: Apache-2.0

/// @file
/// Barriers among threads of a process, which are used again and again.

#pragma once

#include <memory>

#include "benchmarks/threads/places.hpp"

namespace espalier::benchmarks::threads {

class Barrier {
public:
  Barrier() = default;
  Barrier(Barrier const&) = delete;
  Barrier& operator=(Barrier const&) = delete;
  Barrier(Barrier&&) = delete;
  Barrier& operator=(Barrier&&) = delete;
  virtual ~Barrier() = default;

  /// Returns when all threads have called it as often as this one.
  virtual void wait(int thread) = 0;
};

/// Who writes the flag that another thread waits for. Pull: a thread writes its own, and others
/// look at it. Push: a thread writes that of another one, which looks at nothing else.
enum class Signals { pull, push };

/// How a barrier along a tree signals: arrivals go up to the root, and the release comes down.
struct TreeSignals {
  Signals up = Signals::pull;
  Signals down = Signals::pull;
};

/// @param shares_cores  there are more threads than cores
[[nodiscard]] std::unique_ptr<Barrier>
make_tree_barrier(Places places, TreeSignals signals, bool shares_cores);

/// In round i a thread signals the radix - 1 threads at distances radix^i, 2 radix^i, ... beyond
/// it.
/// @param radix  from 2 on
[[nodiscard]] std::unique_ptr<Barrier>
make_dissemination_barrier(int radix, int num_threads, bool shares_cores);

[[nodiscard]] std::unique_ptr<Barrier> make_pthread_barrier(int num_threads);

[[nodiscard]] std::unique_ptr<Barrier> make_std_barrier(int num_threads);

}  // namespace espalier::benchmarks::threads
