// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdlib>
#include <string>

namespace espalier {

/// Empty if it is not set. No other thread may change the environment meanwhile, so it is called
/// before the program starts threads, or while they wait for a function of MPI.
[[nodiscard]] inline std::string environment_variable(char const* name) {
  char const* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace espalier
