// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "espalier/watch/lookout.hpp"

namespace espalier::watch {

/// A thread that looks whenever something can be due. Makes no MPI call and gets no signal.
class Watcher {
public:
  /// Receives lines, from the thread.
  using Log = std::function<void(std::string const&)>;

  /// @throws std::system_error if no thread can be started.
  Watcher(Lookout lookout, Log log);
  Watcher(Watcher const&) = delete;
  Watcher& operator=(Watcher const&) = delete;
  Watcher(Watcher&&) = delete;
  Watcher& operator=(Watcher&&) = delete;
  ~Watcher();

  /// Ends the thread; nothing is said any more. Not in a child of fork(), where there is none.
  void stop() noexcept;

private:
  void watch();

  Lookout lookout_;
  Log log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace espalier::watch
