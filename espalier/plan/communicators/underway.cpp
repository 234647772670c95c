// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/underway.hpp"

#include <mutex>

namespace espalier::plan {
namespace {

/// Guards the list, and the executors in it that no thread looks after alone.
constinit std::mutex mutex;
constinit Underway* first = nullptr;

bool is_any_underway() noexcept {
  std::lock_guard const lock(mutex);
  return first != nullptr;
}

}  // namespace

void Underway::link() noexcept {
  previous_ = nullptr;
  next_ = first;
  if (first != nullptr) {
    first->previous_ = this;
  }
  first = this;
  is_linked_ = true;
}

void Underway::unlink() noexcept {
  (previous_ == nullptr ? first : previous_->next_) = next_;
  if (next_ != nullptr) {
    next_->previous_ = previous_;
  }
  is_linked_ = false;
}

void Underway::advance() noexcept {
  bool is_complete = false;
  code_ = executor_->progress(is_complete);
  if (is_complete || code_ != MPI_SUCCESS) {
    unlink();
  }
}

void Underway::advance_all() noexcept {
  for (Underway* entry = first; entry != nullptr;) {
    Underway* const next = entry->next_;
    if (!entry->is_waited_for_) {
      entry->advance();
    }
    entry = next;
  }
}

int Underway::complete() noexcept {
  is_active_ = false;
  return code_;
}

int Underway::start(void const* input, void* output) noexcept {
  code_ = executor_->start(input, output);
  if (code_ != MPI_SUCCESS) {
    return code_;
  }
  is_active_ = true;
  std::lock_guard const lock(mutex);
  link();
  advance();
  return code_ == MPI_SUCCESS ? code_ : complete();
}

int Underway::test(bool& is_complete) noexcept {
  is_complete = true;
  if (!is_active_) {
    return MPI_SUCCESS;
  }
  std::lock_guard const lock(mutex);
  advance_all();
  is_complete = !is_linked_;
  return is_complete ? complete() : MPI_SUCCESS;
}

int Underway::wait() noexcept {
  if (!is_active_) {
    return MPI_SUCCESS;
  }
  std::unique_lock lock(mutex);
  bool const is_alone = is_linked_ && first == this && next_ == nullptr;
  if (is_alone) {
    is_waited_for_ = true;
    lock.unlock();
    code_ = executor_->finish();
    lock.lock();
    is_waited_for_ = false;
    unlink();
  }
  while (is_linked_) {
    advance_all();
    lock.unlock();
    lock.lock();
  }
  return complete();
}

int Underway::run(exec::MpiExecutor& executor, void const* input, void* output) noexcept {
  if (is_any_underway()) {
    Underway self(executor);
    int const code = self.start(input, output);
    return code == MPI_SUCCESS ? self.wait() : code;
  }
  return executor.run(input, output);
}

}  // namespace espalier::plan
