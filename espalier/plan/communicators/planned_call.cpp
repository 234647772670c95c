// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/planned_call.hpp"

#include <utility>

namespace espalier::plan {

PlannedCall::PlannedCall(
    BoundCall bound, std::shared_ptr<StartedCalls> calls, int slot, SelfMessages& messages, int tag
) noexcept
    : Underway(*bound.executor), bound_(std::move(bound)), calls_(std::move(calls)), slot_(slot),
      messages_(&messages), tag_(tag) {
  exec::MpiContext const& context = calls_->planned_context();
  bound_.executor->shift_tags(context.first_tag, slot * context.num_tags);
  calls_->enter_planned();
}

PlannedCall::~PlannedCall() {
  messages_->release(tag_);
  calls_->leave_planned(slot_, bound_.executor->is_broken());
}

void PlannedCall::start() noexcept {
  is_underway_.store(true, std::memory_order_relaxed);
  launch(bound_.input, bound_.output);
}

// The program may start it again as soon as the message is there.
void PlannedCall::ended(int code) noexcept {
  has_failed_ = code != MPI_SUCCESS;
  is_underway_.store(false, std::memory_order_release);
  messages_->complete(tag_, has_failed_);
  if (is_let_go_) {
    delete this;
  }
}

void PlannedCall::let_go() noexcept {
  if (is_underway()) {
    is_let_go_ = true;
  } else {
    delete this;
  }
}

}  // namespace espalier::plan
