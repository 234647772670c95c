// SPDX-License-Identifier: Apache-2.0

#include "espalier/watch/watcher.hpp"

#include <chrono>
#include <csignal>
#include <utility>

namespace espalier::watch {
namespace {

/// While it lives, threads that are started get no signal: those are for the program.
class NoSignals {
public:
  NoSignals() noexcept {
    sigset_t all{};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }

  NoSignals(NoSignals const&) = delete;
  NoSignals& operator=(NoSignals const&) = delete;
  NoSignals(NoSignals&&) = delete;
  NoSignals& operator=(NoSignals&&) = delete;

  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_{};
};

}  // namespace

Watcher::Watcher(Lookout lookout, Log log) : lookout_(lookout), log_(std::move(log)) {
  NoSignals const no_signals;
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
