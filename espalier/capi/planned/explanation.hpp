// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "espalier/exec/messages/mpi_executor.hpp"

namespace espalier::capi {

/// What a rank sends in one run, and what it keeps for that, as a sentence.
/// @param num_rounds  0: they are not known
[[nodiscard]] std::string text_of(exec::RunCost const& cost, int num_rounds = 0);

}  // namespace espalier::capi
