// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/topologies/machine_text.hpp"

#include <filesystem>
#include <system_error>

#include "espalier/profile/profile.hpp"

namespace espalier::plan {

MachineText machine_text_of(char const* value) {
  if (value == nullptr || *value == '\0') {
    return {};
  }
  std::error_code problem;
  if (std::filesystem::is_regular_file(value, problem)) {
    return {.text = profile::read_text(value), .origin = value};
  }
  return {.text = value, .origin = "ESPALIER_MACHINE"};
}

}  // namespace espalier::plan
