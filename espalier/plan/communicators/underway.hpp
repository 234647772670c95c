// SPDX-License-Identifier: Apache-2.0

/// @file
/// Collectives that were started and not completed yet. Rounds after the first one begin only when
/// their rank looks, and another rank may wait for them: so whoever waits for one collective moves
/// all of this process on, and so does the MPI library where it can be made to call poll().

#pragma once

#include <atomic>
#include <cstdint>

#include <mpi.h>

#include "espalier/exec/messages/mpi_executor.hpp"

namespace espalier::plan {

/// One executor, or what a derived class has in its place, that can be started any number of times.
/// Must stay where it is while it is active; different objects may be used by different threads at
/// the same time.
class Underway {
public:
  explicit Underway(exec::MpiExecutor& executor) noexcept : executor_(&executor) {}

  Underway(Underway const&) = delete;
  Underway& operator=(Underway const&) = delete;
  Underway(Underway&&) = delete;
  Underway& operator=(Underway&&) = delete;
  virtual ~Underway() = default;

  /// True from start() until test() or wait() found it complete or failed.
  [[nodiscard]] bool is_active() const noexcept { return is_active_; }

  /// Local. @return MPI_SUCCESS or a code, as all that follow; after an error it is not active.
  int start(void const* input, void* output) noexcept;
  /// Moves all that is underway on. Local. `is_complete` also if it is not active.
  int test(bool& is_complete) noexcept;
  int wait() noexcept;

  /// A collective from its start to its end. Collective, as run() of the executor.
  static int run(exec::MpiExecutor& executor, void const* input, void* output) noexcept;

  /// Whether anything is. Local, at any time.
  [[nodiscard]] static bool is_any() noexcept {
    return first.load(std::memory_order_relaxed) != nullptr;
  }

  /// Changes when something begins, ends, or gets a message that it waits for. Local, at any time.
  [[nodiscard]] static std::uint32_t num_moves() noexcept {
    return moves.load(std::memory_order_relaxed);
  }

  /// Moves all that is underway on, unless a thread does so already, which may be this one, within
  /// a call of the MPI library. Local. @return how many were completed.
  static int poll() noexcept;

  /// Tells a thread when something begins to be underway where nothing was. For one thread at a
  /// time.
  class Bell {
  public:
    Bell() noexcept { is_heard.store(true, std::memory_order_relaxed); }

    ~Bell() { is_heard.store(false, std::memory_order_relaxed); }

    Bell(Bell const&) = delete;
    Bell& operator=(Bell const&) = delete;
    Bell(Bell&&) = delete;
    Bell& operator=(Bell&&) = delete;

    [[nodiscard]] std::uint32_t num_rings() const noexcept { return rings.load(); }

    /// Until there are other rings than these.
    void wait(std::uint32_t num_rings) const noexcept { rings.wait(num_rings); }

    /// From any thread.
    static void ring() noexcept;
  };

  /// Keeps all other threads from what is underway. Not inside poll() and what it calls.
  class Turn {
  public:
    Turn() noexcept;
    ~Turn();
    Turn(Turn const&) = delete;
    Turn& operator=(Turn const&) = delete;
    Turn(Turn&&) = delete;
    Turn& operator=(Turn&&) = delete;
  };

protected:
  /// Without an executor: the three functions below are written anew.
  Underway() noexcept = default;

  // Begins what it is, does of it what can be done without waiting, and brings it to its end.
  // Within a Turn, or by the one thread that looks after it alone.
  virtual int begin() noexcept { return executor_->start(input_, output_); }

  virtual int proceed(bool& is_complete) noexcept;

  virtual int finish() noexcept { return executor_->finish(); }

  /// Starts it where nobody will call test() or wait(): ended() tells. Within a Turn.
  void launch(void const* input, void* output) noexcept;

  /// False as long as its messages could be taken for those of another one. Within a Turn.
  virtual bool may_begin() noexcept { return true; }

  /// It is at its end, and may be destroyed here. Within a Turn.
  virtual void ended(int /*code*/) noexcept {}

private:
  void link() noexcept;
  void unlink() noexcept;
  /// @return true at its end, after which it may be gone.
  bool advance() noexcept;
  static int advance_all() noexcept;
  static void note_move() noexcept;
  int complete() noexcept;

  /// Oldest first. Changed by whoever has the turn.
  static constinit std::atomic<Underway*> first;
  static constinit std::atomic<std::uint32_t> moves;  ///< written by whoever has the turn
  static constinit std::atomic<bool> is_heard;        ///< a Bell lives
  static constinit std::atomic<std::uint32_t> rings;  ///< of all bells

  exec::MpiExecutor* executor_ = nullptr;
  Underway* previous_ = nullptr;
  Underway* next_ = nullptr;
  void const* input_ = nullptr;
  void* output_ = nullptr;
  int code_ = MPI_SUCCESS;
  bool is_active_ = false;
  bool has_begun_ = false;
  bool is_linked_ = false;      ///< not at its end yet
  bool is_waited_for_ = false;  ///< a thread waits for nothing else and looks after it
};

}  // namespace espalier::plan
