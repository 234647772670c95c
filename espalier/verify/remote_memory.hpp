// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include "espalier/verify/cells.hpp"
#include "espalier/verify/contract.hpp"
#include "espalier/verify/verdict.hpp"

namespace espalier::verify {

/// Whether what one-sided programs name in the memory of peers is there: rules `bounds`,
/// `input_written` and `size`. Also `bounds` for messages beside one-sided operations, which
/// nothing orders. The programs must have passed check_shape().
[[nodiscard]] std::optional<Violation>
check_remote_memory(AllOperations const& all, Contract const& contract);

}  // namespace espalier::verify
