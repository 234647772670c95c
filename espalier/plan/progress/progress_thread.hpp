// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <thread>

#include <mpi.h>

#include "espalier/plan/communicators/underway.hpp"

namespace espalier::plan {

/// A thread that moves collectives on while the program computes. It calls the MPI library at short
/// intervals as long as something is underway, and sleeps otherwise. Needs MPI_THREAD_MULTIPLE, and
/// follow_progress().
class ProgressThread {
public:
  /// Local.
  /// @param comm  of ours, where nobody sends mpi::unused_tag(); until stop()
  /// @throws std::system_error if there can be no thread.
  explicit ProgressThread(MPI_Comm comm);
  ProgressThread(ProgressThread const&) = delete;
  ProgressThread& operator=(ProgressThread const&) = delete;
  ProgressThread(ProgressThread&&) = delete;
  ProgressThread& operator=(ProgressThread&&) = delete;
  ~ProgressThread();

  /// The thread ends, unless it is this one, which then goes on without it. Any number of times.
  void stop() noexcept;

private:
  void run() noexcept;
  void look() const noexcept;

  MPI_Comm comm_;
  int rank_ = 0;
  Underway::Bell bell_;
  std::atomic<bool> is_stopping_{false};
  std::thread thread_;
};

}  // namespace espalier::plan
