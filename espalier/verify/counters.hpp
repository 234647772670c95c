// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <vector>

#include "espalier/verify/cells.hpp"
#include "espalier/verify/verdict.hpp"

namespace espalier::verify {

/// Who raises which counters of one-sided programs.
struct Counters {
  /// Of each await, by AllOperations::index: the puts and signals that raise its counter.
  std::vector<std::vector<OperationReference>> raisers;
  std::optional<Violation> violation;
};

/// Finds the raises of each counter, and rule `arrivals`: a counter has one awaited number, and is
/// raised so often in all. So an await that goes on comes after every raise, whatever the timing.
[[nodiscard]] Counters find_raisers(AllOperations const& all);

}  // namespace espalier::verify
