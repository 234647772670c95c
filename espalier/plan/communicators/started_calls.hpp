// SPDX-License-Identifier: Apache-2.0

/// @file
/// Nonblocking and persistent collectives on one communicator.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include <mpi.h>

#include "espalier/exec/messages/mpi_context.hpp"
#include "espalier/exec/messages/mpi_executor.hpp"
#include "espalier/plan/calls/binding.hpp"
#include "espalier/plan/communicators/contexts.hpp"
#include "espalier/plan/communicators/executor_cache.hpp"
#include "espalier/plan/communicators/planned_slots.hpp"

namespace espalier::plan {

class StartedCall;

/// Calls that were started on a communicator, and executors that wait for the next ones. What is
/// underway keeps it, so the communicator may be freed before its calls are complete.
///
/// The ranks of a communicator start their calls in the same order, so the number of a call is
/// known to all. Calls that send messages at the same time have different slots, by their number,
/// and so different tags. A call begins after all before it, and when its slot is free: a rank that
/// starts more calls than there are slots waits for none of them, the last ones begin later. Since
/// they wait only for calls that all ranks start before, nobody waits for ever. Large tags have no
/// slots: of the programs that need them one is underway at a time.
class StartedCalls : public std::enable_shared_from_this<StartedCalls> {
public:
  /// What happens after the messages, before the user is told of the end. @return as a call of MPI.
  using Ending = std::function<int()>;

  /// @param contexts  must outlive what is underway
  StartedCalls(Contexts& contexts, int number) noexcept;
  StartedCalls(StartedCalls const&) = delete;
  StartedCalls& operator=(StartedCalls const&) = delete;
  StartedCalls(StartedCalls&&) = delete;
  StartedCalls& operator=(StartedCalls&&) = delete;
  ~StartedCalls() = default;

  /// What executors are made for. Without the ranks of the communicator.
  [[nodiscard]] exec::MpiContext const& context() const noexcept { return context_; }

  /// The same of persistent calls, which have a slot each, see PlannedSlots.
  [[nodiscard]] exec::MpiContext const& planned_context() const noexcept {
    return planned_context_;
  }

  [[nodiscard]] PlannedSlots& planned_slots() noexcept { return planned_slots_; }

  /// Local, within a Turn. The context is not free as long as there is a persistent call.
  void enter_planned() noexcept;
  /// Local, within a Turn.
  /// @param has_left_messages  in its slot
  void leave_planned(int slot, bool has_left_messages) noexcept;

  /// An executor that is not in use, if there is one.
  [[nodiscard]] std::optional<exec::MpiExecutor> take(Binding const& binding) noexcept;

  /// Starts a call. Local.
  /// @param ending  may be empty
  /// @throws Error mpi.
  void
  start(exec::MpiExecutor executor, Binding const& binding, Ending ending, MPI_Request& request);

  /// Whether the request of any nonblocking call, on any communicator, is not complete. Local, at
  /// any time.
  [[nodiscard]] static bool is_any_incomplete() noexcept {
    return num_incomplete.load(std::memory_order_relaxed) != 0;
  }

  /// Lets go of executors that are not in use.
  void clear() noexcept;

  /// Local, at any time.
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return memory_bytes_.load(std::memory_order_relaxed);
  }

private:
  friend class StartedCall;

  void keep(ExecutorKey const& key, CountsKey const& counts, exec::MpiExecutor executor) noexcept;
  [[nodiscard]] std::int64_t enter() noexcept;
  [[nodiscard]] bool may_begin(std::int64_t number, bool has_large_tags) noexcept;
  void leave(std::int64_t number, bool has_large_tags) noexcept;

  [[nodiscard]] bool is_in_use() const noexcept {
    return num_started_ != num_ended_ || num_planned_ > 0;
  }

  static constinit std::atomic<int> num_incomplete;

  Contexts* contexts_;
  int number_;
  exec::MpiContext context_;
  exec::MpiContext planned_context_;
  PlannedSlots planned_slots_;
  std::int64_t num_planned_ = 0;
  ExecutorCache executors_;
  std::atomic<std::size_t> memory_bytes_{sizeof(StartedCalls)};  ///< that the cache had last
  std::array<bool, Contexts::num_slots> is_slot_taken_{};
  bool are_large_tags_taken_ = false;
  std::int64_t num_started_ = 0;
  std::int64_t num_begun_ = 0;
  std::int64_t num_ended_ = 0;
};

}  // namespace espalier::plan
