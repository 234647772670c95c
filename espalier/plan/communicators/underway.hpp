// SPDX-License-Identifier: Apache-2.0

/// @file
/// Collectives that were started and not completed yet. Rounds after the first one begin only when
/// their rank looks, and another rank may wait for them: so whoever waits for one collective moves
/// all of this process on.

#pragma once

#include <mpi.h>

#include "espalier/exec/messages/mpi_executor.hpp"

namespace espalier::plan {

/// One executor that can be started any number of times. Must stay where it is while it is active;
/// different objects may be used by different threads at the same time.
class Underway {
public:
  explicit Underway(exec::MpiExecutor& executor) noexcept : executor_(&executor) {}

  Underway(Underway const&) = delete;
  Underway& operator=(Underway const&) = delete;
  Underway(Underway&&) = delete;
  Underway& operator=(Underway&&) = delete;
  ~Underway() = default;

  /// True from start() until test() or wait() found it complete or failed.
  [[nodiscard]] bool is_active() const noexcept { return is_active_; }

  /// Local. @return MPI_SUCCESS or a code, as all that follow; after an error it is not active.
  int start(void const* input, void* output) noexcept;
  /// Local. `is_complete` also if it is not active.
  int test(bool& is_complete) noexcept;
  int wait() noexcept;

  /// A collective from its start to its end. Collective, as run() of the executor.
  static int run(exec::MpiExecutor& executor, void const* input, void* output) noexcept;

private:
  void link() noexcept;
  void unlink() noexcept;
  void advance() noexcept;
  static void advance_all() noexcept;
  int complete() noexcept;

  exec::MpiExecutor* executor_;
  Underway* previous_ = nullptr;
  Underway* next_ = nullptr;
  int code_ = MPI_SUCCESS;
  bool is_active_ = false;
  bool is_linked_ = false;      ///< not at its end yet
  bool is_waited_for_ = false;  ///< a thread waits for nothing else and looks after it
};

}  // namespace espalier::plan
