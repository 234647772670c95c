// SPDX-License-Identifier: Apache-2.0

/// @file
/// Runs all ranks of a schedule as threads of one process, on real memory. For tests and
/// demonstrations: it is made to show errors, not to be fast.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "espalier/exec/memory/binding.hpp"
#include "espalier/exec/threads/thread_crew.hpp"

namespace espalier::exec {

/// What one rank runs and where. Elements are runs of element_extent_bytes without gaps.
struct ThreadRank {
  BoundProgram program;
  std::byte const* input = nullptr;
  std::byte* output = nullptr;
};

enum class SendMode : std::uint8_t {
  rendezvous,  ///< a send is complete when its receive has taken the data: synchronous sends
  buffered,    ///< a send is complete at once, its data are copied away
};

struct ThreadOptions {
  SendMode mode = SendMode::rendezvous;
  /// A run that takes longer is an error that says who waits for what.
  std::chrono::milliseconds time_limit{10'000};
  /// destination = source (op) destination on num_elements elements; needed by reduce only.
  std::function<void(std::byte const* source, std::byte* destination, std::int64_t num_elements)>
      combine;
  /// Whose threads run the ranks; null: threads made for this run.
  ThreadCrew* crew = nullptr;
};

/// Runs rank i of the schedule on ranks[i]; returns when all of them are done.
/// @throws Error argument if messages do not fit each other, time_limit is exceeded (a deadlock),
///     a message is left over, or a reduce meets no combine.
void run_threads(std::vector<ThreadRank> const& ranks, ThreadOptions const& options = {});

}  // namespace espalier::exec
