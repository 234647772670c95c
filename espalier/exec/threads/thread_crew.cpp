// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/threads/thread_crew.hpp"

namespace espalier::exec {

ThreadCrew::~ThreadCrew() {
  {
    std::lock_guard const lock(mutex_);
    work_ = nullptr;
    num_called_ = threads_.size();
    ++run_;
  }
  begun_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void ThreadCrew::run(std::size_t num_threads, std::function<void(std::size_t)> const& work) {
  std::unique_lock lock(mutex_);
  while (threads_.size() < num_threads) {
    threads_.emplace_back([this, number = threads_.size(), run = run_] { serve(number, run); });
  }
  work_ = &work;
  num_working_ = num_threads;
  num_called_ = num_threads;
  ++run_;
  begun_.notify_all();
  ended_.wait(lock, [&] { return num_working_ == 0; });
}

void ThreadCrew::serve(std::size_t number, std::size_t first_run) {
  std::unique_lock lock(mutex_);
  for (std::size_t run = first_run;;) {
    begun_.wait(lock, [&] { return run_ != run; });
    run = run_;
    if (work_ == nullptr) {
      return;
    }
    if (number < num_called_) {
      std::function<void(std::size_t)> const& work = *work_;
      lock.unlock();
      work(number);
      lock.lock();
      if (--num_working_ == 0) {
        ended_.notify_one();
      }
    }
  }
}

}  // namespace espalier::exec
