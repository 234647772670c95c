// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <span>

#include "espalier/verify/accesses.hpp"
#include "espalier/verify/contract.hpp"
#include "espalier/verify/verdict.hpp"

namespace espalier::verify {

/// Rules `not_held`, `unordered` and `written_twice` for the memory of all ranks, whoever touches
/// it; holds for every timing.
/// @param order  Of one run, see HappensBefore.
[[nodiscard]] std::optional<Violation> check_races(
    AllOperations const& all,
    Contract const& contract,
    HappensBefore const& happens_before,
    std::span<OperationReference const> order
);

}  // namespace espalier::verify
