// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "espalier/exec/memory/binding.hpp"

namespace espalier::exec {

/// Which operations of a program have started and are complete, and which may start.
///
/// Programs in rounds start in program order; the order of a dataflow program has gaps.
class ProgramProgress {
public:
  explicit ProgramProgress(BoundProgram const& program)
      : program_(program), is_started_(program.operations.size()),
        is_complete_(program.operations.size()) {}

  /// Calls start(i) for each operation that may start now; true if there was one. `start` may
  /// complete operations.
  template <typename Start> bool start_what_may_start(Start&& start) {
    bool any = false;
    for (std::size_t i = first_not_started_; i < program_.operations.size(); ++i) {
      if (!is_started_[i] && may_start(i)) {
        is_started_[i] = true;
        start(i);
        any = true;
      } else if (!is_started_[i] && !program_.is_dataflow()) {
        break;
      }
      if (i == first_not_started_ && is_started_[i]) {
        ++first_not_started_;
      }
    }
    return any;
  }

  void complete(std::size_t i) {
    is_complete_[i] = true;
    ++num_complete_;
  }

  /// Begins again.
  void reset() {
    std::fill(is_started_.begin(), is_started_.end(), false);
    std::fill(is_complete_.begin(), is_complete_.end(), false);
    first_not_started_ = num_written_ = num_sent_ = num_complete_ = 0;
  }

  [[nodiscard]] bool is_all_complete() const noexcept {
    return num_complete_ == program_.operations.size();
  }

  /// Operations before this one have started.
  [[nodiscard]] std::size_t first_not_started() const noexcept { return first_not_started_; }

private:
  [[nodiscard]] bool may_start(std::size_t i);
  void skip_complete(std::size_t& end, bool writes) const;

  BoundProgram const& program_;
  std::vector<bool> is_started_;
  std::vector<bool> is_complete_;
  std::size_t first_not_started_ = 0;
  std::size_t num_written_ = 0;  ///< operations up to here write nothing any more
  std::size_t num_sent_ = 0;     ///< operations up to here send nothing any more
  std::size_t num_complete_ = 0;
};

}  // namespace espalier::exec
