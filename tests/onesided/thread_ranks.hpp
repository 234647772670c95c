// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "espalier/onesided/threads/thread_world.hpp"

namespace espalier::onesided {

/// Runs all ranks of a world, and throws what the first of them that failed threw.
inline void
run_ranks(ThreadOptions const& options, std::function<void(ThreadWorld&, int)> const& work) {
  ThreadWorld world(options);
  std::mutex mutex;
  std::exception_ptr failure;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < static_cast<int>(options.segment_bytes.size()); ++rank) {
    threads.emplace_back([&, rank] {
      try {
        work(world, rank);
      } catch (...) {
        std::lock_guard const lock(mutex);
        failure = failure ? failure : std::current_exception();
        world.stop();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace espalier::onesided
