// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/started_calls.hpp"

#include <atomic>
#include <cstddef>
#include <utility>

#include "espalier/mpi/success.hpp"
#include "espalier/plan/communicators/underway.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::plan {

/// One of them, as the MPI library knows it: a generalized request. It lives until its messages
/// are over and its request is freed, in whichever order.
class StartedCall final : public Underway {
public:
  StartedCall(
      std::shared_ptr<StartedCalls> calls,
      std::unique_ptr<exec::MpiExecutor> executor,
      Binding const& binding,
      StartedCalls::Ending ending
  )
      : Underway(*executor), calls_(std::move(calls)), executor_(std::move(executor)),
        ending_(std::move(ending)), key_(binding.key), may_stay_(binding.may_stay),
        has_large_tags_(executor_->has_tag_below(calls_->context().first_own_tag)) {
    if (may_stay_) {
      counts_ = StoredCounts(binding.counts);
    }
  }

  /// From now on it looks after itself.
  /// @throws Error mpi, and then it is over.
  void start(void const* input, void* output, MPI_Request& request) {
    if (int const code = PMPI_Grequest_start(query, release, cancel, this, &request_);
        code != MPI_SUCCESS) {
      delete this;
      mpi::require_success(code, "MPI_Grequest_start");
    }
    request = request_;
    StartedCalls::num_incomplete.fetch_add(1, std::memory_order_relaxed);
    Turn const turn;
    number_ = calls_->enter();
    launch(input, output);
  }

private:
  ~StartedCall() override = default;

  bool may_begin() noexcept override {
    if (!calls_->may_begin(number_, has_large_tags_)) {
      return false;
    }
    shift_tags(1);
    return true;
  }

  void ended(int code) noexcept override {
    outcome_ = code == MPI_SUCCESS && ending_ ? guard(ending_) : code;
    ending_ = nullptr;
    calls_->leave(number_, has_large_tags_);
    shift_tags(-1);
    if (executor_->is_broken()) {
      calls_->contexts_->retire(calls_->number_);
    } else if (may_stay_) {
      calls_->keep(key_, counts_.key(), std::move(*executor_));
    }
    executor_.reset();
    calls_.reset();
    PMPI_Grequest_complete(request_);
    StartedCalls::num_incomplete.fetch_sub(1, std::memory_order_relaxed);
    drop();
  }

  void shift_tags(int direction) noexcept {
    auto const slot = static_cast<int>(number_ % Contexts::num_slots);
    exec::MpiContext const& context = calls_->context();
    executor_->shift_tags(context.first_own_tag, direction * slot * context.num_own_tags);
  }

  /// Its run, or its request, needs it no longer.
  void drop() noexcept {
    if (num_owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
    }
  }

  static int query(void* self, MPI_Status* status) noexcept {
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_ANY_SOURCE;
    status->MPI_TAG = MPI_ANY_TAG;
    return static_cast<StartedCall*>(self)->outcome_;
  }

  static int release(void* self) noexcept {
    static_cast<StartedCall*>(self)->drop();
    return MPI_SUCCESS;
  }

  /// MPI has no cancelled collectives.
  static int cancel(void* /*self*/, int /*is_complete*/) noexcept { return MPI_ERR_REQUEST; }

  std::shared_ptr<StartedCalls> calls_;
  std::unique_ptr<exec::MpiExecutor> executor_;
  StartedCalls::Ending ending_;
  ExecutorKey key_;
  StoredCounts counts_;
  bool may_stay_;
  bool has_large_tags_;
  std::int64_t number_ = 0;
  MPI_Request request_ = MPI_REQUEST_NULL;
  int outcome_ = MPI_SUCCESS;
  std::atomic<int> num_owners_{2};
};

constinit std::atomic<int> StartedCalls::num_incomplete{0};

StartedCalls::StartedCalls(Contexts& contexts, int number) noexcept
    : contexts_(&contexts), number_(number), context_(contexts.started_context(number, {})),
      planned_context_(contexts.planned_context(number)) {}

void StartedCalls::enter_planned() noexcept {
  if (!is_in_use()) {
    contexts_->hold(number_);
  }
  ++num_planned_;
}

void StartedCalls::leave_planned(int slot, bool has_left_messages) noexcept {
  --num_planned_;
  if (has_left_messages) {
    contexts_->retire(number_);
    return;
  }
  planned_slots_.release(slot);
  if (!is_in_use()) {
    contexts_->let_go(number_);
  }
}

std::optional<exec::MpiExecutor> StartedCalls::take(Binding const& binding) noexcept {
  if (!binding.may_stay) {
    return std::nullopt;
  }
  Underway::Turn const turn;
  return executors_.take(binding.key, binding.counts);
}

void StartedCalls::start(
    exec::MpiExecutor executor, Binding const& binding, Ending ending, MPI_Request& request
) {
  auto* const call = new StartedCall(
      shared_from_this(),
      std::make_unique<exec::MpiExecutor>(std::move(executor)),
      binding,
      std::move(ending)
  );
  call->start(binding.input, binding.output, request);
}

void StartedCalls::clear() noexcept {
  Underway::Turn const turn;
  executors_.clear();
}

// An executor that could not be kept is made anew.
void StartedCalls::keep(
    ExecutorKey const& key, CountsKey const& counts, exec::MpiExecutor executor
) noexcept {
  static_cast<void>(guard([&] {
    executors_.insert(key, counts, std::move(executor));
    return MPI_SUCCESS;
  }));
  std::size_t const own_bytes = sizeof(*this) - sizeof(executors_);
  memory_bytes_.store(own_bytes + executors_.memory_bytes(), std::memory_order_relaxed);
}

std::int64_t StartedCalls::enter() noexcept {
  if (!is_in_use()) {
    contexts_->hold(number_);
  }
  return num_started_++;
}

bool StartedCalls::may_begin(std::int64_t number, bool has_large_tags) noexcept {
  bool& is_taken = is_slot_taken_[static_cast<std::size_t>(number % Contexts::num_slots)];
  if (number != num_begun_ || is_taken || (has_large_tags && are_large_tags_taken_)) {
    return false;
  }
  ++num_begun_;
  is_taken = true;
  are_large_tags_taken_ = are_large_tags_taken_ || has_large_tags;
  return true;
}

void StartedCalls::leave(std::int64_t number, bool has_large_tags) noexcept {
  is_slot_taken_[static_cast<std::size_t>(number % Contexts::num_slots)] = false;
  if (has_large_tags) {
    are_large_tags_taken_ = false;
  }
  ++num_ended_;
  if (!is_in_use()) {
    contexts_->let_go(number_);
  }
}

}  // namespace espalier::plan
