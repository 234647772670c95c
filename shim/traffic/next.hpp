// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "shim/symbol.hpp"

namespace espalier::shim::traffic {

/// The function of this name behind this library.
template <typename Function> [[nodiscard]] Function* next(char const* name) noexcept {
  Function* function = nullptr;
  find_symbol(name, function);
  return function;
}

}  // namespace espalier::shim::traffic
