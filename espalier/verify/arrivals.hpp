// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include "espalier/verify/cells.hpp"
#include "espalier/verify/matching.hpp"
#include "espalier/verify/verdict.hpp"

namespace espalier::verify {

/// Rule `postcondition` of a barrier: the end of every rank comes after the beginning of
/// every rank. Needs programs in rounds that passed `execute` and `check_rounds`.
[[nodiscard]] std::optional<Violation>
check_arrivals(AllOperations const& all, Matching const& matching);

}  // namespace espalier::verify
