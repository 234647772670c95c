// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/threads/program_progress.hpp"

#include <algorithm>

namespace espalier::exec {

bool ProgramProgress::may_start(std::size_t i) {
  BoundOperation const& operation = program_.operations[i];
  skip_complete(num_written_, true);
  skip_complete(num_sent_, false);
  return static_cast<std::size_t>(operation.after) <= num_written_ &&
         static_cast<std::size_t>(operation.after_sends) <= num_sent_ &&
         std::ranges::all_of(program_.waits(operation), [&](int other) {
           return is_complete_[static_cast<std::size_t>(other)];
         });
}

/// Moves on to the first operation of its kind that is not complete.
void ProgramProgress::skip_complete(std::size_t& end, bool writes) const {
  while (end < program_.operations.size() &&
         (is_complete_[end] || schedule::writes(program_.operations[end].kind) != writes)) {
    ++end;
  }
}

}  // namespace espalier::exec
