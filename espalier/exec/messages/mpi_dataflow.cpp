// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/messages/mpi_dataflow.hpp"

#include <algorithm>
#include <functional>

#include "espalier/mpi/progress.hpp"

namespace espalier::exec {
namespace {

using Action = MpiStep::Action;

}  // namespace

DataflowRun::DataflowRun(MpiProgram const& program) {
  if (program.dataflow) {
    std::size_t const num_operations = program.dataflow->num_waits.size();
    auto const num_requests = static_cast<std::size_t>(program.num_requests) + 1;
    statuses_.resize(num_requests);
    open_waits_.resize(num_operations);
    ready_.reserve(num_operations);
    active_.resize(num_requests);
    done_.resize(num_requests);
    near_.reserve(program.links.size());
  }
}

std::size_t DataflowRun::memory_bytes() const noexcept {
  return statuses_.capacity() * sizeof(MPI_Status) +
         (open_waits_.capacity() + ready_.capacity() + active_.capacity() + done_.capacity()) *
             sizeof(int) +
         near_.capacity() * sizeof(Near);
}

void DataflowRun::start(MpiDataflow const& flow) noexcept {
  std::ranges::copy(flow.num_waits, open_waits_.begin());
  ready_.assign(flow.initially_ready.begin(), flow.initially_ready.end());
  num_active_ = 0;
  num_complete_ = 0;
  near_.clear();
}

int DataflowRun::finish(MpiRun& run, Bases const& bases, MpiDataflow const& flow) noexcept {
  for (;;) {
    start_ready(run, bases, flow);
    if (num_active_ == 0 && near_.empty()) {
      return MPI_SUCCESS;
    }
    int const code = near_.empty() ? finish_one(run, flow) : finish_mixed(run, bases, flow);
    if (code != MPI_SUCCESS) {
      return code;
    }
  }
}

int DataflowRun::progress(
    MpiRun& run, Bases const& bases, MpiDataflow const& flow, bool& is_complete
) noexcept {
  start_ready(run, bases, flow);
  if (!near_.empty()) {
    finish_near(run, bases, flow);
  }
  int const code = num_active_ > 0 ? finish_some(run, flow) : MPI_SUCCESS;
  is_complete = num_active_ == 0 && near_.empty() && ready_.empty();
  return code;
}

void DataflowRun::start_ready(MpiRun& run, Bases const& bases, MpiDataflow const& flow) noexcept {
  while (!ready_.empty()) {
    std::ranges::pop_heap(ready_, std::greater{});
    int const operation = ready_.back();
    ready_.pop_back();
    run_steps(run, bases, flow, operation, flow.step_begin[static_cast<std::size_t>(operation)]);
  }
}

/// Runs steps of an operation from `first` on, until a message is underway or the operation is
/// complete.
void DataflowRun::run_steps(
    MpiRun& run, Bases const& bases, MpiDataflow const& flow, int operation, int first
) noexcept {
  int const end = flow.step_begin[static_cast<std::size_t>(operation) + 1];
  for (int s = first; s < end; ++s) {
    MpiStep const& step = run.program.steps[static_cast<std::size_t>(s)];
    if (step.is_near()) {
      run.start_near(bases, step);
      if (run.near.is_open(step.request)) {
        near_.push_back({.operation = operation, .step = s});
        return;
      }
      run.note(run.near.result(step.request));
    } else if (start_message(run, bases, step)) {
      active_[static_cast<std::size_t>(num_active_++)] = operation;
      return;
    }
  }
  complete(flow, operation);
}

/// Performs a step. @return whether it is a message of MPI that is underway now
bool DataflowRun::start_message(MpiRun& run, Bases const& bases, MpiStep const& step) noexcept {
  int const code = run.perform(bases, step, num_active_);
  run.note(code);
  bool const is_start = step.action == Action::send || step.action == Action::recv;
  return is_start && code == MPI_SUCCESS;
}

/// Goes on with messages inside the node, and with the operations of those that are over.
void DataflowRun::finish_near(MpiRun& run, Bases const& bases, MpiDataflow const& flow) noexcept {
  run.near.progress();
  std::size_t const num_before = near_.size();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < num_before; ++i) {
    Near const one = near_[i];
    MpiStep const& step = run.program.steps[static_cast<std::size_t>(one.step)];
    if (run.near.is_open(step.request)) {
      near_[kept++] = one;
    } else {
      run.note(run.near.result(step.request));
      run_steps(run, bases, flow, one.operation, one.step + 1);
    }
  }
  near_.erase(near_.begin() + static_cast<std::ptrdiff_t>(kept), near_.end());
}

/// Waits until something is over, of messages of both kinds. @return as finish_one().
int DataflowRun::finish_mixed(MpiRun& run, Bases const& bases, MpiDataflow const& flow) noexcept {
  run.teller.wait_at(run.program, near_.front().operation);
  node::Patience patience = run.near.patience();
  std::size_t const num_near = near_.size();
  int const num_far = num_active_;
  for (;;) {
    finish_near(run, bases, flow);
    int const code = num_far > 0 ? finish_some(run, flow) : MPI_SUCCESS;
    if (code != MPI_SUCCESS || near_.size() < num_near || num_active_ < num_far) {
      return code;
    }
    patience.pause([&run] { mpi::make_progress(run.comm); });
  }
}

/// Waits. One message at a time, since MPI_Waitsome would look at all others too, and simulators
/// charge time for each look at a message that is not there.
/// @return an error after which nobody knows which message it was; others are noted.
int DataflowRun::finish_one(MpiRun& run, MpiDataflow const& flow) noexcept {
  run.teller.wait_at_any(run.program, {active_.data(), static_cast<std::size_t>(num_active_)});
  int done = MPI_UNDEFINED;
  int const code = PMPI_Waitany(num_active_, run.requests.data(), &done, MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) {
    return finish_failed(run, flow, done, code);
  }
  complete_message(flow, done);
  drop_done(run);
  return MPI_SUCCESS;
}

/// Does not wait. @return as finish_one().
int DataflowRun::finish_some(MpiRun& run, MpiDataflow const& flow) noexcept {
  int num_done = 0;
  int const code =
      PMPI_Testsome(num_active_, run.requests.data(), &num_done, done_.data(), statuses_.data());
  if (code == MPI_ERR_IN_STATUS) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(std::max(num_done, 0)); ++i) {
      run.note(statuses_[i].MPI_ERROR);
    }
  } else if (code != MPI_SUCCESS) {
    return finish_failed(run, flow, MPI_UNDEFINED, code);
  }
  for (int i = 0; i < num_done; ++i) {
    complete_message(flow, done_[static_cast<std::size_t>(i)]);
  }
  drop_done(run);
  return MPI_SUCCESS;
}

/// After a wait that failed: one message is over, and Open MPI frees all others that failed, too.
int DataflowRun::finish_failed(MpiRun& run, MpiDataflow const& flow, int done, int code) noexcept {
  run.note(code);
  bool is_any_done = false;
  for (int i = 0; i < num_active_; ++i) {
    if (i == done || run.requests[static_cast<std::size_t>(i)] == MPI_REQUEST_NULL) {
      complete_message(flow, i);
      is_any_done = true;
    }
  }
  drop_done(run);
  return is_any_done ? MPI_SUCCESS : code;
}

/// `index`: of the request, among the active ones.
void DataflowRun::complete_message(MpiDataflow const& flow, int index) noexcept {
  int& operation = active_[static_cast<std::size_t>(index)];
  complete(flow, operation);
  operation = -1;
}

void DataflowRun::complete(MpiDataflow const& flow, int operation) noexcept {
  auto const i = static_cast<std::size_t>(operation);
  ++num_complete_;
  for (int s = flow.successor_begin[i]; s < flow.successor_begin[i + 1]; ++s) {
    int const next = flow.successors[static_cast<std::size_t>(s)];
    if (--open_waits_[static_cast<std::size_t>(next)] == 0) {
      ready_.push_back(next);
      std::ranges::push_heap(ready_, std::greater{});
    }
  }
}

/// Closes the gaps that finished messages left among the active ones.
void DataflowRun::drop_done(MpiRun& run) noexcept {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(num_active_); ++i) {
    if (active_[i] >= 0) {
      active_[kept] = active_[i];
      run.requests[kept] = run.requests[i];
      ++kept;
    }
  }
  std::fill(
      run.requests.begin() + static_cast<std::ptrdiff_t>(kept),
      run.requests.begin() + num_active_,
      MPI_REQUEST_NULL
  );
  num_active_ = static_cast<int>(kept);
}

}  // namespace espalier::exec
