// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <memory>

#include <mpi.h>

#include "espalier/exec/messages/mpi_executor.hpp"
#include "espalier/plan/communicators/self_messages.hpp"
#include "espalier/plan/communicators/started_calls.hpp"
#include "espalier/plan/communicators/underway.hpp"

namespace espalier::plan {

/// A call that was bound, to be started any number of times.
struct BoundCall {
  std::unique_ptr<exec::MpiExecutor> executor;
  void const* input = nullptr;
  void* output = nullptr;
};

/// The schedule of a persistent collective. Lives until it is let go and not underway.
class PlannedCall final : public Underway {
public:
  /// Within a Turn.
  /// @param slot  of `calls`
  /// @param tag  of the message among `messages` that tells of the end; they must outlive this
  PlannedCall(
      BoundCall bound,
      std::shared_ptr<StartedCalls> calls,
      int slot,
      SelfMessages& messages,
      int tag
  ) noexcept;

  /// Allocates nothing. Local, within a Turn.
  void start() noexcept;

  /// From start() on until its end was told. Local, at any time.
  [[nodiscard]] bool is_underway() const noexcept {
    return is_underway_.load(std::memory_order_acquire);
  }

  /// Whether its last end was an error.
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }

  /// Destroys it, now or at its end. Within a Turn.
  void let_go() noexcept;

private:
  ~PlannedCall() override;

  void ended(int code) noexcept override;

  BoundCall bound_;
  std::shared_ptr<StartedCalls> calls_;
  int slot_;
  SelfMessages* messages_;
  int tag_;
  std::atomic<bool> is_underway_{false};
  bool has_failed_ = false;
  bool is_let_go_ = false;
};

}  // namespace espalier::plan
