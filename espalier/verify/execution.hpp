// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include "espalier/verify/cells.hpp"
#include "espalier/verify/matching.hpp"
#include "espalier/verify/values.hpp"
#include "espalier/verify/verdict.hpp"

namespace espalier::verify {

/// Runs all programs once, with sends that complete only when their receive has started, and
/// carries the values along. Rule `deadlock`.
///
/// Programs in rounds start their operations strictly in program order, which is the slowest
/// executor allowed; what completes does not depend on the order in which ranks are served.
[[nodiscard]] std::optional<Violation>
execute(AllOperations const& all, Matching const& matching, Values& values);

}  // namespace espalier::verify
