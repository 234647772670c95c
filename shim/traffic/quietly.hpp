// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <exception>
#include <utility>

namespace espalier::shim::traffic {

/// Does something that counts, which must not end the program if memory or the MPI library fails.
template <typename Action> void quietly(Action&& action) noexcept {
  try {
    std::forward<Action>(action)();
  } catch (std::exception const&) {  // NOLINT(bugprone-empty-catch)
  }
}

}  // namespace espalier::shim::traffic
