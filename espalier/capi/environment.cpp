// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/environment.hpp"

#include <cstdlib>
#include <string>

namespace espalier::capi {
namespace {

std::string variable(char const* name) {
  char const* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

plan::MachineText described_machine() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe)
  plan::MachineText machine = plan::machine_text_of(std::getenv("ESPALIER_MACHINE"));
  machine.misfit = plan::MachineText::Misfit::error;
  return machine;
}

plan::SettingsText settings_of_collectives() {
  std::string const off = variable("ESPALIER_OFF");
  plan::SettingsText text{
      .is_off = !off.empty() && off != "0",
      .force = variable("ESPALIER_FORCE"),
      .profile_path = variable("ESPALIER_PROFILE"),
  };
  text.read_profile();
  return text;
}

}  // namespace espalier::capi
