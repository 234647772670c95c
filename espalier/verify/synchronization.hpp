// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include "espalier/verify/contract.hpp"
#include "espalier/verify/happens_before.hpp"
#include "espalier/verify/verdict.hpp"

namespace espalier::verify {

/// Rules `too_early` and `too_late`: no user buffer is touched before those have entered, or after
/// those have left, of whom the synchronization mode of the contract speaks.
[[nodiscard]] std::optional<Violation> check_synchronization(
    AllOperations const& all, Contract const& contract, HappensBefore const& happens_before
);

}  // namespace espalier::verify
