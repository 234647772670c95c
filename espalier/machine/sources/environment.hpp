// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <map>
#include <string>

namespace espalier::machine {

/// Environment variables of a process by name.
using Environment = std::map<std::string, std::string, std::less<>>;

/// @param entries `NAME=value`, a null pointer last, as the variable `environ`.
[[nodiscard]] Environment environment_of(char const* const* entries);

}  // namespace espalier::machine
