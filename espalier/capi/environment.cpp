// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/environment.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "espalier/tune/profile.hpp"

namespace espalier::capi {

plan::MachineText described_machine() {
  char const* const value = std::getenv("ESPALIER_MACHINE");  // NOLINT(concurrency-mt-unsafe)
  if (value == nullptr) {
    return {};
  }
  std::error_code problem;
  if (std::filesystem::is_regular_file(value, problem)) {
    return {.text = tune::read_text(value), .origin = value};
  }
  return {.text = value, .origin = "ESPALIER_MACHINE"};
}

}  // namespace espalier::capi
