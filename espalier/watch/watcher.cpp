// SPDX-License-Identifier: Apache-2.0

#include "espalier/watch/watcher.hpp"

#include <chrono>
#include <utility>

#include "espalier/base/without_signals.hpp"

namespace espalier::watch {
Watcher::Watcher(Lookout lookout, Log log) : lookout_(lookout), log_(std::move(log)) {
  WithoutSignals const no_signals;
  std::lock_guard const lock(mutex_);
  thread_ = std::thread([this] { watch(); });
}

Watcher::~Watcher() {
  stop();
}

void Watcher::stop() noexcept {
  std::thread thread;
  {
    std::lock_guard const lock(mutex_);
    is_stopping_ = true;
    thread.swap(thread_);
  }
  changed_.notify_all();
  if (thread.joinable()) {
    thread.join();
  }
}

void Watcher::watch() {
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    Time const time = now();
    Lookout::Look const found = lookout_.look(time);
    lock.unlock();
    for (std::string const& line : found.lines) {
      log_(line);
    }
    lock.lock();
    changed_.wait_for(lock, std::chrono::nanoseconds(found.next - time), [this] {
      return is_stopping_;
    });
  }
}

}  // namespace espalier::watch
