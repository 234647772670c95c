// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace espalier::exec {

/// Threads that stay between runs: under a sanitizer, creating one costs more than what it runs.
class ThreadCrew {
public:
  ThreadCrew() = default;
  ThreadCrew(ThreadCrew const&) = delete;
  ThreadCrew& operator=(ThreadCrew const&) = delete;
  ~ThreadCrew();

  /// Calls work(0) .. work(num_threads - 1) at the same time, each on a thread of its own, and
  /// returns when all have returned. `work` must not throw. One run at a time.
  void run(std::size_t num_threads, std::function<void(std::size_t)> const& work);

private:
  void serve(std::size_t number, std::size_t first_run);

  std::mutex mutex_;
  std::condition_variable begun_;
  std::condition_variable ended_;
  std::vector<std::thread> threads_;
  std::function<void(std::size_t)> const* work_ = nullptr;  ///< null: the crew is dismissed
  std::size_t num_working_ = 0;
  std::size_t num_called_ = 0;  ///< threads that take part in this run
  std::size_t run_ = 0;
};

}  // namespace espalier::exec
