// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/underway.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>

namespace espalier::plan {
namespace {

/// Guards the list, and the executors in it that no thread looks after alone. No mutex, since
/// whoever has it may come here again from inside a call of the MPI library, and must go on.
constinit std::atomic_flag is_taken = ATOMIC_FLAG_INIT;
constinit Underway* last = nullptr;

}  // namespace

constinit std::atomic<Underway*> Underway::first{nullptr};
constinit std::atomic<std::uint32_t> Underway::moves{0};
constinit std::atomic<bool> Underway::is_heard{false};
constinit std::atomic<std::uint32_t> Underway::rings{0};

void Underway::Bell::ring() noexcept {
  rings.fetch_add(1);
  rings.notify_all();
}

Underway::Turn::Turn() noexcept {
  while (is_taken.test_and_set(std::memory_order_acquire)) {
    std::this_thread::yield();
  }
}

Underway::Turn::~Turn() {
  is_taken.clear(std::memory_order_release);
}

void Underway::link() noexcept {
  previous_ = last;
  next_ = nullptr;
  if (last != nullptr) {
    last->next_ = this;
  } else {
    first.store(this, std::memory_order_relaxed);
    if (is_heard.load(std::memory_order_relaxed)) {
      Bell::ring();
    }
  }
  last = this;
  is_linked_ = true;
  note_move();
}

void Underway::unlink() noexcept {
  if (previous_ != nullptr) {
    previous_->next_ = next_;
  } else {
    first.store(next_, std::memory_order_relaxed);
  }
  (next_ == nullptr ? last : next_->previous_) = previous_;
  is_linked_ = false;
  note_move();
}

void Underway::note_move() noexcept {
  moves.store(moves.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

int Underway::proceed(bool& is_complete) noexcept {
  std::size_t const position = executor_->position();
  int const code = executor_->progress(is_complete);
  if (executor_->position() != position) {
    note_move();
  }
  return code;
}

bool Underway::advance() noexcept {
  bool is_complete = false;
  if (!has_begun_) {
    if (!may_begin()) {
      return false;
    }
    has_begun_ = true;
    note_move();
    code_ = begin();
  } else {
    code_ = proceed(is_complete);
  }
  bool const is_over = is_complete || code_ != MPI_SUCCESS;
  if (is_over) {
    unlink();
    ended(code_);
  }
  return is_over;
}

int Underway::advance_all() noexcept {
  int num_complete = 0;
  for (Underway* entry = first.load(std::memory_order_relaxed); entry != nullptr;) {
    Underway* const next = entry->next_;
    if (!entry->is_waited_for_) {
      num_complete += entry->advance() ? 1 : 0;
    }
    entry = next;
  }
  return num_complete;
}

int Underway::poll() noexcept {
  if (!is_any() || is_taken.test_and_set(std::memory_order_acquire)) {
    return 0;
  }
  int const num_complete = advance_all();
  is_taken.clear(std::memory_order_release);
  return num_complete;
}

int Underway::complete() noexcept {
  is_active_ = false;
  return code_;
}

void Underway::launch(void const* input, void* output) noexcept {
  input_ = input;
  output_ = output;
  code_ = MPI_SUCCESS;
  is_active_ = true;
  has_begun_ = false;
  link();
  advance();
}

int Underway::start(void const* input, void* output) noexcept {
  Turn const turn;
  launch(input, output);
  return code_ == MPI_SUCCESS ? code_ : complete();
}

int Underway::test(bool& is_complete) noexcept {
  is_complete = true;
  if (!is_active_) {
    poll();
    return MPI_SUCCESS;
  }
  Turn const turn;
  advance_all();
  is_complete = !is_linked_;
  return is_complete ? complete() : MPI_SUCCESS;
}

int Underway::wait() noexcept {
  if (!is_active_) {
    return MPI_SUCCESS;
  }
  std::optional<Turn> turn(std::in_place);
  bool const is_alone = is_linked_ && last == this && previous_ == nullptr;
  if (is_alone) {
    is_waited_for_ = true;
    turn.reset();
    code_ = finish();
    turn.emplace();
    is_waited_for_ = false;
    unlink();
  }
  while (is_linked_) {
    advance_all();
    turn.reset();
    turn.emplace();
  }
  return complete();
}

int Underway::run(exec::MpiExecutor& executor, void const* input, void* output) noexcept {
  if (is_any()) {
    Underway self(executor);
    int const code = self.start(input, output);
    return code == MPI_SUCCESS ? self.wait() : code;
  }
  return executor.run(input, output);
}

}  // namespace espalier::plan
