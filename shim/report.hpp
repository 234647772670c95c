// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

namespace espalier::shim {

/// Prints `espalier: <line>` on standard error as a whole.
void print_line(std::string const& line) noexcept;

/// Writes a file so that it is either complete or not there: into a temporary name first. Makes the
/// folder if need be.
/// @return 0 or the errno of what went wrong, in which case nothing is left behind.
[[nodiscard]] int
write_file(std::string const& folder, std::string const& name, std::string const& text);

}  // namespace espalier::shim
