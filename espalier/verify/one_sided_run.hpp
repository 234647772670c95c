// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <vector>

#include "espalier/verify/cells.hpp"
#include "espalier/verify/counters.hpp"
#include "espalier/verify/verdict.hpp"

namespace espalier::verify {

/// One run of one-sided programs.
struct OneSidedRun {
  /// Operations as they became complete: each comes behind all for which it waits, and an await
  /// behind all raises of its counter.
  std::vector<OperationReference> order;
  std::optional<Violation> violation;
};

/// Runs all programs once. Programs in rounds start their operations strictly in program order,
/// which is the slowest executor allowed. Rule `deadlock`.
[[nodiscard]] OneSidedRun run_one_sided(AllOperations const& all, Counters const& counters);

}  // namespace espalier::verify
