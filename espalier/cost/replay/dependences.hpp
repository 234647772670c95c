// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/cost/replay/steps.hpp"

namespace espalier::cost {

/// Which steps may start, as others complete.
class Dependences {
public:
  /// @param steps matched; must outlive this object, which keeps some of its state in them.
  explicit Dependences(Steps& steps);

  /// Adds the steps that wait for nothing, in order.
  void initially_ready(std::vector<std::int32_t>& ready) const;
  /// Marks a step as complete; adds what may start now.
  void complete(std::int32_t step, std::vector<std::int32_t>& ready);

  [[nodiscard]] bool all_complete() const noexcept { return num_left_ == 0; }

  /// Whether anything waits for sends to be complete.
  [[nodiscard]] bool sends_matter() const noexcept {
    return !sends_.waiting.empty() || !waiters_.empty();
  }

private:
  /// Steps that wait for all of one kind (writes, or sends) of their rank before some position.
  struct Prefix {
    std::int32_t next = 0;      ///< in waiting
    std::int32_t end = 0;       ///< of this rank's part of waiting
    std::int32_t position = 0;  ///< everything of the kind before it is complete
  };

  /// One of the two kinds, over all ranks.
  struct Awaited {
    bool are_writes = true;
    std::int32_t Step::*position = nullptr;  ///< which a step waits for
    std::vector<std::int32_t> waiting;       ///< rank by rank, by position
  };

  void set_up(Awaited& awaited);
  void set_up(Awaited& awaited, int rank);
  void set_up_waits();
  void advance(Awaited const& awaited, int rank, std::vector<std::int32_t>& ready);
  void unblock(std::int32_t step, std::vector<std::int32_t>& ready);

  /// Those of a rank lie side by side.
  [[nodiscard]] Prefix& prefix(Awaited const& awaited, int rank) {
    return prefixes_[static_cast<std::size_t>(rank) * 2 + (awaited.are_writes ? 0 : 1)];
  }

  Steps* steps_;
  Awaited writes_{.are_writes = true, .position = &Step::after};
  Awaited sends_{.are_writes = false, .position = &Step::after_sends};
  std::vector<Prefix> prefixes_;
  std::vector<std::int32_t> waiters_begin_;  ///< of each step; empty without explicit waits
  std::vector<std::int32_t> waiters_;
  std::int32_t num_left_;
};

}  // namespace espalier::cost
