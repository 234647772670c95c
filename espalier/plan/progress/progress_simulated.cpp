// SPDX-License-Identifier: Apache-2.0

/// @file
/// SMPI calls nobody while it waits.

#include "espalier/plan/progress/progress.hpp"

namespace espalier::plan {

bool can_follow_progress() noexcept {
  return false;
}

bool may_have_progress_thread() noexcept {
  return false;
}

void follow_progress(Poll) noexcept {}

void leave_progress() noexcept {}

}  // namespace espalier::plan
