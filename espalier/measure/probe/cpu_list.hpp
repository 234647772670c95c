// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string>

namespace espalier::measure::probe {

/// Ranges as Linux writes them: `0-3,8`; empty for none.
/// @param cpus ascending
[[nodiscard]] std::string cpu_list(std::span<int const> cpus);

}  // namespace espalier::measure::probe
