// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/environment.hpp"

#include <filesystem>
#include <string>
#include <system_error>

#include "espalier/base/environment.hpp"
#include "espalier/base/mpi_library.hpp"
#include "espalier/base/whole_file.hpp"
#include "espalier/machine/sources/kind_of_machine.hpp"
#include "espalier/mpi/library_version.hpp"

namespace espalier::capi {

namespace fs = std::filesystem;

plan::MachineText described_machine(std::string const& named) {
  std::string const text = named.empty() ? environment_variable("ESPALIER_MACHINE") : named;
  plan::MachineText machine = plan::machine_text_of(text.c_str());
  machine.misfit = plan::MachineText::Misfit::error;
  return machine;
}

namespace {

/// A file beside that of ESPALIER_MEMORY; empty if nothing is kept, or the machine is simulated.
std::string kept_path(std::string const& prefix) {
  std::string const memory = environment_variable("ESPALIER_MEMORY");
  std::string const library = mpi::library_version();
  if (memory == "off" || family_of(library) == "smpi") {
    return {};
  }
  fs::path const folder = memory.empty() ? state_folder() : fs::absolute(memory).parent_path();
  return folder.empty() ? std::string()
                        : (folder / (prefix + machine::learned_file_name(library))).string();
}

}  // namespace

plan::CostsFile distances_file(std::string const& named) {
  if (named.empty()) {
    return {.path = kept_path("distances-")};
  }
  if (named == "off" || family_of(mpi::library_version()) == "smpi") {
    return {};
  }
  std::error_code problem;
  return {.path = fs::absolute(named, problem).string()};
}

std::string teams_file() {
  return kept_path("teams-");
}

plan::SettingsText settings_of_collectives() {
  std::string const off = environment_variable("ESPALIER_OFF");
  plan::SettingsText text{
      .is_off = !off.empty() && off != "0",
      .force = environment_variable("ESPALIER_FORCE"),
      .profile_path = environment_variable("ESPALIER_PROFILE"),
  };
  text.read_profile();
  return text;
}

}  // namespace espalier::capi
