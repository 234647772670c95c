// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include "espalier/schedule/program.hpp"
#include "espalier/verify/contract.hpp"
#include "espalier/verify/verdict.hpp"

namespace espalier::verify {

/// Rules `not_held`, `unordered` and `written_twice` for one rank, from what its operations wait
/// for; holds for every timing. The program must have passed check_shape().
[[nodiscard]] std::optional<Violation>
check_hazards(schedule::RankProgram const& program, Contract const& contract);

}  // namespace espalier::verify
