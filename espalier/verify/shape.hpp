// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include "espalier/schedule/program.hpp"
#include "espalier/verify/contract.hpp"
#include "espalier/verify/verdict.hpp"

namespace espalier::verify {

/// Rules `bounds` and `input_written`, and `size` within an operation, for the program that stands
/// at position `rank`. Everything else may rely on positions, blocks and peers being in range.
[[nodiscard]] std::optional<Violation>
check_shape(schedule::RankProgram const& program, Contract const& contract, int rank);

}  // namespace espalier::verify
