// SPDX-License-Identifier: Apache-2.0

/// @file
/// Runs all ranks of a one-sided schedule as threads of one process that reach the memory of each
/// other. For tests and demonstrations: it is made to show errors, not to be fast.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "espalier/exec/threads/byte_runs.hpp"
#include "espalier/exec/threads/thread_executor.hpp"

namespace espalier::exec {

enum class Delivery : std::uint8_t {
  at_once,  ///< when a put is complete its data are in the memory of the peer
  /// The data of a put are copied away and arrive as late as they may: the last ones first, when
  /// the rank has nothing else to do, or even after it has left.
  late,
};

struct OneSidedOptions {
  Delivery delivery = Delivery::at_once;
  /// A run that takes longer is an error that says who waits for what.
  std::chrono::milliseconds time_limit{10'000};
  /// Needed by reduce only.
  Combine combine;
  /// Called on the thread of a rank before its first operation, and when all of its operations are
  /// complete: what the user may do then, to which buffers, is what the synchronization mode says.
  std::function<void(int rank)> enter;
  std::function<void(int rank)> leave;
  /// Whose threads run the ranks; null: threads made for this run.
  ThreadCrew* crew = nullptr;
};

/// Runs rank i of the schedule on ranks[i], whose program is made by bind_one_sided(); returns when
/// all of them are done. A raise of a counter publishes what was written before (release), and an
/// await sees it (acquire); nothing else orders the threads.
/// @throws Error argument if a program has messages, time_limit is exceeded (a deadlock), a counter
///     is raised more often than awaited, or a reduce meets no combine.
void run_one_sided(std::vector<ThreadRank> const& ranks, OneSidedOptions const& options = {});

}  // namespace espalier::exec
