// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>

#include "espalier/base/error.hpp"

namespace espalier::machine {

/// @throws Error argument `expected <expected>, got '<found>'`
[[noreturn]] inline void refuse(std::string const& expected, std::string_view found) {
  throw Error(ErrorCode::argument, "expected " + expected + ", got '" + std::string(found) + "'");
}

}  // namespace espalier::machine
