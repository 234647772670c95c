// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace espalier::shim {

/// Prints `espalier: <line>` on standard error as a whole.
void print_line(std::string const& line) noexcept;

}  // namespace espalier::shim
