// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <span>

#include "espalier/verify/cells.hpp"
#include "espalier/verify/contract.hpp"
#include "espalier/verify/values.hpp"
#include "espalier/verify/verdict.hpp"

namespace espalier::verify {

[[nodiscard]] bool are_one_sided(std::span<schedule::RankProgram const> programs) noexcept;

/// Runs one-sided programs that check_one_sided() accepts, and carries the values along.
void run_one_sided(AllOperations const& all, Values& values);

/// All rules for one-sided programs that passed check_shape(), but for the numbers of `facts`.
[[nodiscard]] std::optional<Violation>
check_one_sided(AllOperations const& all, Contract const& contract);

}  // namespace espalier::verify
