// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "espalier/base/error.hpp"

namespace espalier::onesided {

/// Of what a program describes. @throws Error argument unless it is right.
inline void require(bool is_right, std::string const& text) {
  if (!is_right) {
    throw Error(ErrorCode::argument, text);
  }
}

}  // namespace espalier::onesided
